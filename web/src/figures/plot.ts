// A chart in SVG: bands, lines, points and bars over two axes, with a legend below.

import { svg } from "../dom";
import type { Axis } from "./axis";

export interface Series {
  label: string;
  color: string;
  /** area: the inside of a polygon. */
  kind: "line" | "points" | "band" | "bars" | "area";
  /** x and y; bands have a second y (`to`); null is a gap. */
  x: number[];
  y: (number | null)[];
  to?: (number | null)[];
  width?: number;
  dashed?: boolean;
  opacity?: number;
}

export interface Plot {
  title: string;
  xLabel: string;
  yLabel: string;
  x: Axis;
  y: Axis;
  series: Series[];
  /** Vertical lines with a name. */
  marks?: { at: number; text: string }[];
  width?: number;
  height?: number;
}

const kLeft = 74;
const kRight = 14;
const kTop = 16;
const kBottom = 46;
const kNarrowest = 360;

interface Frame { x: (value: number) => number; y: (value: number) => number }

const round = (value: number): number => Math.round(value * 10) / 10;

function path(series: Series, frame: Frame): string {
  let text = "";
  let isDown = false;
  series.x.forEach((x, i) => {
    const y = series.y[i];
    if (y === null) { isDown = false; return; }
    text += `${isDown ? "L" : "M"}${round(frame.x(x))} ${round(frame.y(y))}`;
    isDown = true;
  });
  return text;
}

function bandPath(series: Series, frame: Frame): string {
  const upper: string[] = [];
  const lower: string[] = [];
  series.x.forEach((x, i) => {
    const y = series.y[i];
    const to = series.to?.[i] ?? null;
    if (y === null || to === null) return;
    upper.push(`${round(frame.x(x))} ${round(frame.y(y))}`);
    lower.unshift(`${round(frame.x(x))} ${round(frame.y(to))}`);
  });
  return upper.length === 0 ? "" : `M${[...upper, ...lower].join("L")}Z`;
}

// Squares: they are drawn many times faster than circles, and as small as these look the same.
function pointsPath(series: Series, frame: Frame): string {
  const size = series.width ?? 2.6;
  return series.x.map((x, i) => {
    const y = series.y[i];
    if (y === null) return "";
    return `M${round(frame.x(x) - size / 2)} ${round(frame.y(y) - size / 2)}h${size}v${size}h${-size}z`;
  }).join("");
}

// Bars stand from one x to the next.
function barsPath(series: Series, frame: Frame): string {
  return series.y.map((y, i) => {
    const to = series.x.at(i + 1);
    if (y === null || y === 0 || to === undefined) return "";
    const left = frame.x(series.x[i]);
    return `M${round(left)} ${round(frame.y(0))}V${round(frame.y(y))}H${round(Math.max(left + 0.8, frame.x(to) - 0.4))}V${round(frame.y(0))}Z`;
  }).join("");
}

function drawn(series: Series, frame: Frame): SVGPathElement {
  const opacity = series.opacity ?? 1;
  if (series.kind === "line") {
    return svg("path", { d: path(series, frame), fill: "none", stroke: series.color,
      "stroke-width": series.width ?? 1.8, "stroke-opacity": opacity, "stroke-linejoin": "round",
      "stroke-dasharray": series.dashed === true ? "5 4" : "none" });
  }
  const d = series.kind === "band" ? bandPath(series, frame)
    : series.kind === "points" ? pointsPath(series, frame)
      : series.kind === "area" ? `${path(series, frame)}Z` : barsPath(series, frame);
  return svg("path", { d, fill: series.color, "fill-opacity": opacity });
}

/** Rows of the legend, broken where they get too wide. */
function legend(series: Series[], width: number, top: number): { rows: number; items: SVGElement[] } {
  const items: SVGElement[] = [];
  let x = kLeft;
  let row = 0;
  for (const one of series) {
    if (one.label === "") continue;
    const length = 26 + one.label.length * 7.2;
    if (x > kLeft && x + length > width - 4) { x = kLeft; ++row; }
    const y = top + row * 17;
    items.push(one.kind === "line"
      ? svg("path", { d: `M${x} ${y}h16`, stroke: one.color, "stroke-width": 2.5, fill: "none",
        "stroke-dasharray": one.dashed === true ? "5 4" : "none" })
      : svg("rect", { x: x + 3, y: y - 5, width: 10, height: 10, fill: one.color, "fill-opacity": Math.max(0.35, one.opacity ?? 1) }));
    items.push(svg("text", { x: x + 21, y: y + 4, fill: "var(--text)" }, one.label));
    x += length + 10;
  }
  return { rows: items.length === 0 ? 0 : row + 1, items };
}

export function drawPlot(plot: Plot): SVGSVGElement {
  // On narrow screens the plot is narrow instead of small.
  const width = Math.min(plot.width ?? 900, Math.max(kNarrowest, innerWidth - 28));
  const inner = plot.height ?? 260;
  const frame: Frame = {
    x: (value) => kLeft + ((value - plot.x.low) / (plot.x.high - plot.x.low)) * (width - kLeft - kRight),
    y: (value) => kTop + inner - ((value - plot.y.low) / (plot.y.high - plot.y.low)) * inner,
  };
  const below = legend(plot.series, width, kTop + inner + kBottom + 6);
  const height = kTop + inner + kBottom + below.rows * 17 + 4;
  const id = `plot-${Math.random().toString(36).slice(2)}`;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": plot.title,
    class: "plot", "font-family": "system-ui, sans-serif", "font-size": 12 },
    svg("title", {}, plot.title),
    svg("clipPath", { id }, svg("rect", { x: kLeft, y: kTop, width: width - kLeft - kRight, height: inner })));
  for (const tick of plot.x.ticks) {
    const x = round(frame.x(tick.at));
    root.append(svg("path", { d: `M${x} ${kTop}V${kTop + inner}`, stroke: "var(--line)" }),
      svg("text", { x: Math.min(x, width - 3), y: kTop + inner + 16, "text-anchor": x > width - 30 ? "end" : "middle", fill: "var(--muted)" }, tick.text));
  }
  for (const tick of plot.y.ticks) {
    const y = round(frame.y(tick.at));
    root.append(svg("path", { d: `M${kLeft} ${y}H${width - kRight}`, stroke: tick.at === 0 ? "var(--faint)" : "var(--line)" }),
      svg("text", { x: kLeft - 7, y: y + 4, "text-anchor": "end", fill: "var(--muted)" }, tick.text));
  }
  root.append(
    svg("text", { x: width - kRight, y: kTop + inner + 34, "text-anchor": "end", fill: "var(--muted)" }, `${plot.xLabel} (${plot.x.unit})`),
    svg("text", { x: 13, y: kTop + inner / 2, "text-anchor": "middle", fill: "var(--muted)",
      transform: `rotate(-90 13 ${kTop + inner / 2})` }, plot.y.unit === "" ? plot.yLabel : `${plot.yLabel} (${plot.y.unit})`));
  root.append(svg("g", { "clip-path": `url(#${id})` }, ...plot.series.map((series) => drawn(series, frame)),
    ...(plot.marks ?? []).map((mark) => svg("path", { d: `M${round(frame.x(mark.at))} ${kTop}V${kTop + inner}`,
      stroke: "var(--accent)", "stroke-width": 1.5, "stroke-dasharray": "4 3" }))));
  for (const mark of plot.marks ?? []) {
    root.append(svg("text", { x: round(frame.x(mark.at)) + 4, y: kTop + 11, fill: "var(--accent)" }, mark.text));
  }
  root.append(...below.items);
  return root;
}

/** The least and largest of all finite numbers. */
export function rangeOf(...lists: (number | null)[][]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

export function widened([low, high]: [number, number], share = 0.06): [number, number] {
  const room = Math.max((high - low) * share, 1e-9, high === low ? Math.max(1, Math.abs(high) * 0.01) : 0);
  return [low - room, high + room];
}

export const kColors = ["#2f6fdb", "#c2570c", "#15803d", "#9333ea", "#be185d", "#0e7490", "#854d0e", "#4b5563"];
