// How many events there are, where they are too many to be drawn one by one. Counted from all of
// them, never from a sample.

import { firstFrom, type Lane } from "../data/trace";
import type { Frame } from "./frame";
import type { Bars } from "./surface";
import { span } from "./viewport";

const kColumn = 2; // pixels

/** Adds to `all` how many events of a lane, from `first` up to but without `after`, each column
 * holds, and to `inverted` how many of them are ends of inverted messages, as `sums` has it for the first events. */
export function countColumns(lane: Lane, range: { first: number; after: number }, from: number, step: number, share: number,
  all: Uint32Array, inverted: Uint32Array, sums: Uint32Array): void {
  let before = range.first;
  for (let column = 0; column < all.length && before < range.after; ++column) {
    const end = firstFrom(lane, from + step * (column + 1), share, before);
    const next = end < range.after ? end : range.after;
    all[column] += next - before;
    inverted[column] += sums[next] - sums[before];
    before = next;
  }
}

// Kept from frame to frame.
let counts: { all: Uint32Array; inverted: Uint32Array }[] = [];
let bars: Bars[] = [];

function countsOf(rows: number, columns: number): typeof counts {
  if (counts.length !== rows || (counts[0]?.all.length ?? columns) !== columns) {
    counts = Array.from({ length: rows }, () => ({ all: new Uint32Array(columns), inverted: new Uint32Array(columns) }));
    bars = Array.from({ length: rows }, () => ({ y: 0, heights: new Uint16Array(columns), red: new Uint16Array(columns) }));
  }
  for (const row of counts) {
    row.all.fill(0);
    row.inverted.fill(0);
  }
  return counts;
}

function largestOf(rows: typeof counts): number {
  let most = 1;
  for (const { all } of rows) for (const n of all) if (n > most) most = n;
  return most;
}

/** Each column of two pixels as high as it has events; the share that belongs to inverted messages
 * is red. */
export function drawDensity(frame: Frame): void {
  const { scene, trace, layout, theme } = frame;
  const columns = Math.max(1, Math.floor((layout.width - layout.gutter) / kColumn));
  const step = span(scene.view) / columns;
  const rows = countsOf(scene.rows.length, columns);
  scene.rows.forEach((row, place) => {
    for (const number of row.lanes) {
      const lane = trace.lanes[number];
      countColumns(lane, { first: scene.first[number], after: scene.after[number] }, scene.view.from, step, scene.share,
        rows[place].all, rows[place].inverted, scene.share < 0.5 ? lane.invertedRecorded : lane.invertedCorrected);
    }
  });
  const half = layout.rowHeight * 0.4;
  const scale = half / Math.sqrt(largestOf(rows));
  rows.forEach(({ all, inverted }, place) => {
    const bar = bars[place];
    bar.y = Math.round(frame.y(place));
    for (let column = 0; column < columns; ++column) {
      const n = all[column];
      const height = n === 0 ? 0 : Math.max(1, Math.round(scale * Math.sqrt(n)));
      bar.heights[column] = height;
      bar.red[column] = inverted[column] === 0 ? 0 : Math.max(1, Math.round(height * (inverted[column] / n)));
    }
  });
  frame.surface.bars(bars, { left: layout.gutter, column: kColumn, height: layout.height }, theme.message, theme.inverted,
    scene.areMessagesDrawn ? 0.35 : 0.75);
}
