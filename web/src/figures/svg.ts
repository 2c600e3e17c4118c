// A plot as SVG, for files and paper: what the page shows of it, with a legend below.

import { svg } from "../dom";
import { labelOf } from "./axis";
import { kPointSize, pathOf, visitPoints, type Frame } from "./path";
import { homeOf, kHeight, type Plot, type PlotView, type Series } from "./plot";

const kLeft = 80;
const kRight = 14;
const kTop = 16;
const kBottom = 46;
const kLetter = 7.2;

const round = (value: number): number => Math.round(value * 10) / 10;

function pointsPath(series: Series, frame: Frame): string {
  const size = series.width ?? kPointSize;
  let path = "";
  visitPoints(series, frame, (x, y) => { path += `M${round(x - size / 2)} ${round(y - size / 2)}h${size}v${size}h${-size}z`; });
  return path;
}

function drawn(series: Series, frame: Frame): SVGPathElement {
  const opacity = series.opacity ?? 1;
  if (series.kind === "line") {
    return svg("path", { d: pathOf(series, frame), fill: "none", stroke: series.color,
      "stroke-width": series.width ?? 1.8, "stroke-opacity": opacity, "stroke-linejoin": "round",
      "stroke-dasharray": series.dashed === true ? "5 4" : "none" });
  }
  const d = series.kind === "points" ? pointsPath(series, frame) : pathOf(series, frame);
  return svg("path", { d, fill: series.color, "fill-opacity": opacity });
}

/** Broken between words. */
export function linesOf(text: string, letters: number): [string, ...string[]] {
  const lines: [string, ...string[]] = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + 1 + word.length > letters) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/** Rows of the legend, broken where they get too wide. One series alone is named by its axis. */
function legend(series: Series[], width: number, top: number): { rows: number; items: SVGElement[] } {
  const items: SVGElement[] = [];
  const named = series.filter((one) => one.label !== "");
  if (named.length < 2) return { rows: 0, items };
  let x = kLeft;
  let row = 0;
  for (const one of named) {
    const [first, ...further] = linesOf(one.label, Math.floor((width - kLeft - 30) / kLetter));
    const length = 26 + first.length * kLetter;
    if (x > kLeft && x + length > width - 4) { x = kLeft; ++row; }
    const y = top + row * 17;
    items.push(one.kind === "line"
      ? svg("path", { d: `M${x} ${y}h16`, stroke: one.color, "stroke-width": 2.5, fill: "none",
        "stroke-dasharray": one.dashed === true ? "5 4" : "none" })
      : svg("rect", { x: x + 3, y: y - 5, width: 10, height: 10, fill: one.color, "fill-opacity": Math.max(0.35, one.opacity ?? 1) }));
    items.push(...[first, ...further].map((line, i) => svg("text", { x: x + 21, y: y + 4 + i * 17, fill: "var(--text)" }, line)));
    row += further.length;
    x += further.length === 0 ? length + 10 : width;
  }
  return { rows: row + 1, items };
}

function axes(plot: Plot, view: PlotView, frame: Frame, width: number): SVGElement[] {
  const bottom = frame.top + frame.height;
  const x = plot.x.ticks(view.x.low, view.x.high, frame.width / 100);
  const y = plot.y.ticks(view.y.low, view.y.high, frame.height / 45);
  const items: SVGElement[] = [];
  x.values.forEach((value, i) => {
    const at = round(frame.x(value));
    items.push(svg("path", { d: `M${at} ${frame.top}V${bottom}`, stroke: "var(--line)" }),
      svg("text", { x: Math.min(at, width - 3), y: bottom + 16, "text-anchor": at > width - 30 ? "end" : "middle", fill: "var(--muted)" }, x.texts[i]));
  });
  y.values.forEach((value, i) => {
    const at = round(frame.y(value));
    items.push(svg("path", { d: `M${frame.left} ${at}H${frame.left + frame.width}`, stroke: value === 0 ? "var(--faint)" : "var(--line)" }),
      svg("text", { x: frame.left - 7, y: at + 4, "text-anchor": "end", fill: "var(--muted)" }, y.texts[i]));
  });
  const middle = frame.top + frame.height / 2;
  items.push(
    svg("text", { x: frame.left + frame.width, y: bottom + 34, "text-anchor": "end", fill: "var(--muted)" }, labelOf(plot.x, x.unit)),
    svg("text", { x: 13, y: middle, "text-anchor": "middle", fill: "var(--muted)", transform: `rotate(-90 13 ${middle})` },
      labelOf(plot.y, y.unit)));
  return items;
}

export function drawPlot(plot: Plot, view: PlotView = homeOf(plot)): SVGSVGElement {
  const width = plot.width ?? 900;
  const inner = { left: kLeft, top: kTop, width: width - kLeft - kRight, height: plot.height ?? kHeight };
  const frame: Frame = { ...inner,
    x: (value) => inner.left + ((value - view.x.low) / (view.x.high - view.x.low)) * inner.width,
    y: (value) => inner.top + inner.height * (1 - (value - view.y.low) / (view.y.high - view.y.low)),
  };
  const shown = plot.series.filter((_, i) => !view.hidden.has(i));
  const below = legend(shown, width, kTop + inner.height + kBottom + 6);
  const id = `plot-${Math.random().toString(36).slice(2)}`;
  return svg("svg", { viewBox: `0 0 ${width} ${kTop + inner.height + kBottom + below.rows * 17 + 4}`, role: "img", "aria-label": plot.title,
    class: "plot", "font-family": "system-ui, sans-serif", "font-size": 12 },
  svg("title", {}, plot.title),
  svg("clipPath", { id }, svg("rect", { x: inner.left, y: inner.top, width: inner.width, height: inner.height })),
  ...axes(plot, view, frame, width),
  svg("g", { "clip-path": `url(#${id})` }, ...shown.map((series) => drawn(series, frame))),
  ...below.items);
}
