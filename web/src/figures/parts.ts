// Charts of what happened in successive equal parts of time.

import type { Parts } from "../data/meta";
import type { Series } from "./plot";

/** The edges of the parts, for bars. */
export function edgesOf(parts: Parts, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, i) => parts.start + i * parts.width);
}

/** The middles of the parts, for lines. */
export function middlesOf(parts: Parts, count: number): number[] {
  return Array.from({ length: count }, (_, i) => parts.start + (i + 0.5) * parts.width);
}

/** Columns from edge to edge. */
export function columns(label: string, color: string, edges: number[], values: number[]): Series {
  return { label, color, kind: "band", isStepped: true, x: edges, y: values, to: values.map(() => 0) };
}

/** Columns that stand on one another, in order from below. */
export function stacked(labels: string[], colors: string[], edges: number[], lists: number[][]): Series[] {
  let below = edges.slice(1).map(() => 0);
  return lists.map((list, i) => {
    const to = below;
    below = list.map((value, part) => value + to[part]);
    return { label: labels[i], color: colors[i], kind: "band", isStepped: true, x: edges, y: below, to };
  });
}
