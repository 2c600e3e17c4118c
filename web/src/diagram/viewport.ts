// The stretch of time that the diagram shows, and how it turns into pixels.

export interface View { from: number; to: number }

/** Nobody needs less: 20 ns across the diagram. */
export const kShortest = 20;

export function span(view: View): number {
  return view.to - view.from;
}

/** `view` with at least the shortest length, and not further than a tenth outside of `extent`. */
export function limited(view: View, extent: View): View {
  const margin = span(extent) * 0.1;
  const low = extent.from - margin;
  const high = extent.to + margin;
  const length = Math.min(Math.max(span(view), kShortest), high - low);
  const middle = (view.from + view.to) / 2;
  const from = Math.min(Math.max(middle - length / 2, low), high - length);
  return { from, to: from + length };
}

/** Stretched by `factor` (below 1: closer), so that `at` stays where it is. */
export function zoomed(view: View, factor: number, at: number): View {
  return { from: at - (at - view.from) * factor, to: at + (view.to - at) * factor };
}

export function moved(view: View, by: number): View {
  return { from: view.from + by, to: view.to + by };
}

export function around(at: number, length: number): View {
  return { from: at - length / 2, to: at + length / 2 };
}

export interface Ticks { values: number[]; step: number }

/** Multiples of 1, 2 or 5 times a power of ten, about `wanted` of them. */
export function ticksOf(low: number, high: number, wanted: number): Ticks {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return { values: [low], step: 1 };
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const values: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) values.push(i * step);
  return { values, step };
}
