// A plot as uPlot takes it. Every series has its own abscissas, so it is uPlot's mode of facets; the
// paths are those that files get.

import uPlot from "uplot";
import { withColors, type Theme } from "../theme";
import { labelOf, type Axis } from "./axis";
import { kPointSize, pathOf, visitPoints, type Frame } from "./path";
import { kHeight, textAt, type Plot, type Series } from "./plot";

const kFont = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const kBelow = 56; // ticks and label of the x axis
const kNear = 14; // pixels, to a point that is told

/** What the chart around the plot does. */
export interface Acts {
  theme: () => Theme;
  reset: () => void;
  select: (u: uPlot) => void;
  scaled: (u: uPlot, scale: string) => void;
  pointed: (u: uPlot) => void;
  toggled: (u: uPlot) => void;
}

function frameOf(u: uPlot): Frame {
  const { left, top, width, height } = u.bbox;
  return { left, top, width, height, x: (value) => u.valToPos(value, "x", true), y: (value) => u.valToPos(value, "y", true) };
}

/** The point nearest to the cursor, by number. */
function nearest(u: uPlot, series: Series): number | null {
  const [left, top] = [u.cursor.left ?? -1, u.cursor.top ?? -1];
  const [low, high] = [u.posToVal(left - kNear, "x"), u.posToVal(left + kNear, "x")];
  let best: number | null = null;
  let least = kNear * kNear;
  series.x.forEach((at, i) => {
    const value = series.y[i];
    if (at < low || at > high || value === null) return;
    const [dx, dy] = [u.valToPos(at, "x") - left, u.valToPos(value, "y") - top];
    const distance = dx * dx + dy * dy;
    if (distance >= least) return;
    least = distance;
    best = i;
  });
  return best;
}

function valueText(u: uPlot, series: Series, axis: Axis, point: number | null): string {
  const left = u.cursor.left ?? -1;
  if (left < 0) return "";
  const text = series.kind !== "points" ? textAt(series, axis, u.posToVal(left, "x"))
    : point === null ? "" : axis.text(series.y[point] ?? NaN);
  return text === "" ? "–" : text;
}

function seriesOf(plot: Plot, series: Series, theme: () => Theme): uPlot.Series {
  const color = (): string => withColors(series.color, theme());
  const isLine = series.kind === "line";
  return {
    label: series.label, class: series.label === "" ? "unnamed" : series.kind,
    facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
    stroke: isLine ? color : undefined, fill: isLine ? undefined : color, alpha: series.opacity ?? 1, width: isLine ? series.width ?? 1.8 : 0,
    dash: series.dashed === true ? [5, 4] : [], pxAlign: 0, points: { show: false, stroke: color, fill: color, size: 9 },
    value: (u, _, __, point) => valueText(u, series, plot.y, point),
    paths: (u) => {
      if (series.kind === "points") return null;
      const path = new Path2D(pathOf(series, frameOf(u)));
      return { stroke: isLine ? path : null, fill: isLine ? null : path, flags: 0 };
    },
  } as uPlot.Series;
}

// Not as a path: a path of thousands of squares takes many times longer.
function drawPoints(u: uPlot, series: Series, theme: Theme): void {
  const { ctx } = u;
  const frame = frameOf(u);
  const size = (series.width ?? kPointSize) * uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(frame.left, frame.top, frame.width, frame.height);
  ctx.clip();
  ctx.fillStyle = withColors(series.color, theme);
  ctx.globalAlpha = series.opacity ?? 1;
  visitPoints(series, frame, (x, y) => { ctx.fillRect(x - size / 2, y - size / 2, size, size); });
  ctx.restore();
}

function axisOf(axis: Axis, scale: "x" | "y", wanted: (u: uPlot) => number, theme: () => Theme): uPlot.Axis {
  const ticks = (u: uPlot): ReturnType<Axis["ticks"]> => {
    const { min, max } = u.scales[scale];
    return axis.ticks(min ?? axis.low, max ?? axis.high, wanted(u));
  };
  return {
    scale, font: kFont, labelFont: kFont, stroke: () => theme().muted, ticks: { show: false }, gap: 6,
    grid: { stroke: () => theme().line, width: 1 },
    splits: (u) => ticks(u).values, values: (u) => ticks(u).texts, label: (u) => labelOf(axis, ticks(u).unit),
    size: scale === "x" ? 30 : (_, values) => 14 + Math.max(...(values as string[] | null ?? []).map((text) => 7 * text.length), 46),
    labelSize: 22, labelGap: scale === "x" ? 2 : 0,
  };
}

function cursorOf(plot: Plot, group: string | null, acts: Acts): uPlot.Cursor {
  return {
    y: false,
    points: { size: 9, width: 1, stroke: () => acts.theme().page },
    dataIdx: (u, i) => {
      const series = plot.series[i - 1];
      return series.kind === "points" ? nearest(u, series) : null;
    },
    drag: { x: true, y: true, uni: 30, dist: 4, setScale: false },
    bind: { dblclick: () => () => {
      acts.reset();
      return null;
    } },
    // The cursor alone: ranges are handed on where they come from keys and buttons, too.
    ...(group === null ? {} : { sync: { key: group, setSeries: false, scales: ["x", null] as [string, null],
      filters: { pub: (type: string) => type === "mousemove" } } }),
  };
}

// By the style sheet's names, so that they follow its colors.
function markersOf(plot: Plot): uPlot.Legend.Markers {
  const at = (i: number): Series => plot.series[i - 1];
  return {
    width: 0,
    fill: (_, i) => {
      const { color, opacity, dashed } = at(i);
      if (dashed === true) return `repeating-linear-gradient(90deg, ${color} 0 5px, transparent 5px 8px)`;
      return `color-mix(in srgb, ${color} ${100 * Math.max(0.35, opacity ?? 1)}%, transparent)`;
    },
  };
}

export function optionsOf(plot: Plot, width: number, group: string | null, mount: (legend: HTMLElement) => void, acts: Acts): uPlot.Options {
  const range = (axis: Axis) => (u: uPlot, _: number, __: number, scale: string): [number, number] =>
    [u.scales[scale].min ?? axis.low, u.scales[scale].max ?? axis.high];
  return {
    mode: 2, width, height: (plot.height ?? kHeight) + kBelow, padding: [10, 26, 0, 0],
    scales: { x: { time: false, auto: false, range: range(plot.x) }, y: { auto: false, range: range(plot.y) } },
    axes: [axisOf(plot.x, "x", (u) => u.width / 110, acts.theme), axisOf(plot.y, "y", (u) => u.height / 48, acts.theme)],
    series: [{}, ...plot.series.map((series) => seriesOf(plot, series, acts.theme))],
    cursor: cursorOf(plot, group, acts),
    legend: { markers: markersOf(plot), mount: (_, legend) => { mount(legend); } },
    hooks: {
      setSelect: [acts.select], setScale: [acts.scaled], setCursor: [acts.pointed], setSeries: [acts.toggled],
      drawSeries: [(u, i) => {
        const series = plot.series[i - 1];
        if (series.kind === "points") drawPoints(u, series, acts.theme());
      }],
    },
  };
}
