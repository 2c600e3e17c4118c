// What a plot shows, whoever draws it: chart.ts on the page, svg.ts on paper and in files.

import type { Axis } from "./axis";

export interface Series {
  /** Named in the legend; empty: not there. */
  label: string;
  color: string;
  /** A band fills what is between y and `to`. */
  kind: "line" | "points" | "band";
  /** y and `to` belong to the same x; null is a gap. */
  x: number[];
  y: (number | null)[];
  to?: (number | null)[];
  /** Values hold from their x to the next, of which there is one more. */
  isStepped?: boolean;
  width?: number;
  dashed?: boolean;
  opacity?: number;
}

export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  /** Of the drawing in files; on the page it is as wide as there is room. */
  width?: number;
  height?: number;
}

export const kHeight = 280;

export interface Range { low: number; high: number }
/** What part of a plot is shown, and which series are not. */
export interface PlotView { x: Range; y: Range; hidden: ReadonlySet<number> }

export function homeOf(plot: Plot): PlotView {
  return { x: plot.x, y: plot.y, hidden: new Set() };
}

/** `range` within `extent`, and not shorter than `least`. */
export function heldIn(range: Range, extent: Range, least: number): Range {
  const length = Math.min(Math.max(range.high - range.low, least), extent.high - extent.low);
  const middle = (range.low + range.high) / 2;
  const low = Math.min(Math.max(middle - length / 2, extent.low), extent.high - length);
  return { low, high: low + length };
}

/** The values of a line at `at`: of each of its parts without a gap that reaches there. */
function valuesOn(series: Series, y: (number | null)[], at: number): number[] {
  const { x } = series;
  const found: number[] = [];
  for (let i = 0; i + 1 < x.length; ++i) {
    const value = y[i];
    const next = series.isStepped === true ? value : y[i + 1] ?? null;
    if (value === null || next === null || at < x[i] || at > x[i + 1]) continue;
    // What the next piece begins with, it tells itself; a stepped one has its value from there on.
    const ofNext = y[series.isStepped === true ? i + 1 : i + 2] ?? null;
    if (at === x[i + 1] && i + 2 < x.length && ofNext !== null && x[i + 2] > at) continue;
    found.push(x[i + 1] === x[i] ? value : value + ((next - value) * (at - x[i])) / (x[i + 1] - x[i]));
  }
  return found;
}

/** What a line or band is at a place, in words; empty: it is not there. */
export function textAt(series: Series, axis: Axis, at: number): string {
  const values = valuesOn(series, series.y, at);
  const lower = series.to === undefined ? [] : valuesOn(series, series.to, at);
  if (values.length > 0 && lower.length > 0) {
    if (series.isStepped === true) return axis.text(values[0] - lower[0]);
    values.push(lower[0]);
  }
  return values.sort((a, b) => a - b).map(axis.text).join(" … ");
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

export const kColors = [..."abcdefgh"].map((letter) => `var(--line${letter})`);
