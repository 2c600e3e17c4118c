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

/** Columns from edge to edge without gaps, which many narrow bars would have. */
export function columns(label: string, color: string, edges: number[], values: number[]): Series {
  const series: Series = { label, color, kind: "area", x: [edges[0] ?? 0], y: [0] };
  const y: (number | null)[] = series.y;
  values.forEach((value, i) => {
    series.x.push(edges[i], edges[i + 1]);
    y.push(value, value);
  });
  series.x.push(edges.at(-1) ?? 0);
  y.push(0);
  return series;
}

/** Sums of the lists up to each: columns drawn from the last to the first look like stacks. */
export function stacked(lists: number[][]): number[][] {
  const sums: number[][] = [];
  for (const list of lists) {
    const below = sums.at(-1);
    sums.push(list.map((value, i) => value + (below?.[i] ?? 0)));
  }
  return sums;
}
