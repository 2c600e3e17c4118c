// The outlines of series as paths of SVG, which a canvas takes as well: one geometry for the page
// and for files.

import type { Series } from "./plot";

/** Where things are, in pixels. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  x: (value: number) => number;
  y: (value: number) => number;
}

interface Corner { x: number; y: number }

const kMargin = 12; // pixels beyond the frame, in which lines may be cut unseen

function cornersOf(series: Series, values: (number | null)[], first: number, after: number, frame: Frame): Corner[] {
  const corners: Corner[] = [];
  for (let i = first; i < after; ++i) {
    const y = frame.y(values[i] ?? 0);
    corners.push({ x: frame.x(series.x[i]), y });
    if (series.isStepped === true) corners.push({ x: frame.x(series.x[i + 1]), y });
  }
  return corners;
}

// Cut at the sides, and held just above and below the frame: closely zoomed, corners are so far
// away that a canvas, which counts in 32 bits, would draw the lines to them elsewhere.
function seen(corners: Corner[], frame: Frame): Corner[] {
  const [left, right] = [frame.left - kMargin, frame.left + frame.width + kMargin];
  const [top, bottom] = [frame.top - kMargin, frame.top + frame.height + kMargin];
  const kept: Corner[] = [];
  for (let i = 0; i + 1 < corners.length; ++i) {
    const [a, b] = [corners[i], corners[i + 1]];
    if (b.x < left || a.x > right) continue;
    const start = a.x < left ? (left - a.x) / (b.x - a.x) : 0;
    const end = b.x > right ? (right - a.x) / (b.x - a.x) : 1;
    const bends = [top, bottom].map((y) => (y - a.y) / (b.y - a.y)).filter((t) => t > start && t < end).sort((s, t) => s - t);
    for (const t of kept.length === 0 ? [start, ...bends, end] : [...bends, end]) {
      const y = t === 1 ? b.y : a.y + (b.y - a.y) * t;
      kept.push({ x: t === 1 ? b.x : a.x + (b.x - a.x) * t, y: Math.min(Math.max(y, top), bottom) });
    }
  }
  return kept;
}

const round = (value: number): number => Math.round(value * 100) / 100;

function joined(corners: Corner[]): string {
  return corners.map((c) => `${round(c.x)} ${round(c.y)}`).join("L");
}

// Parts without gaps: the first value and the one after the last.
function runsOf(series: Series): [number, number][] {
  const runs: [number, number][] = [];
  let first = -1;
  for (let i = 0; i <= series.y.length; ++i) {
    const isThere = i < series.y.length && series.y[i] !== null && (series.to === undefined || series.to[i] !== null);
    if (isThere && first < 0) first = i;
    if (isThere || first < 0) continue;
    runs.push([first, i]);
    first = -1;
  }
  return runs;
}

/** The line, or the outline of the band. */
export function pathOf(series: Series, frame: Frame): string {
  return runsOf(series).map(([first, after]) => {
    const corners = seen(cornersOf(series, series.y, first, after, frame), frame);
    if (corners.length === 0) return "";
    if (series.to === undefined) return `M${joined(corners)}`;
    const back = seen(cornersOf(series, series.to, first, after, frame), frame).reverse();
    return `M${joined(corners)}L${joined(back)}Z`;
  }).join("");
}

/** Where points are seen: of those on one pixel one, for they would hide each other. */
export function visitPoints(series: Series, frame: Frame, visit: (x: number, y: number) => void): void {
  const columns = Math.ceil(frame.width) + 1;
  const taken = new Uint8Array(columns * (Math.ceil(frame.height) + 1));
  series.x.forEach((at, i) => {
    const value = series.y[i];
    if (value === null) return;
    const [column, row] = [Math.round(frame.x(at) - frame.left), Math.round(frame.y(value) - frame.top)];
    if (column < 0 || row < 0 || column > frame.width || row > frame.height) return;
    const place = row * columns + column;
    if (taken[place] === 1) return;
    taken[place] = 1;
    visit(frame.left + column, frame.top + row);
  });
}

/** Squares: they are drawn many times faster than circles, and as small as these look the same. */
export const kPointSize = 2.6;
