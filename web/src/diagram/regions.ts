// Regions of a process, from pairs of enter and leave events, by depth; and what of them can be
// told apart in a view.

import { Kind, timeOf, type Lane, type Trace } from "../data/trace";

/** Deeper ones count as of this depth. */
export const kMostLevels = 8;

/** Regions of one depth: they do not overlap, and stand in order of time. Events by number. */
export interface Level {
  enter: Uint32Array;
  leave: Uint32Array;
  /** No region takes longer, at either end of the slider. */
  longest: number;
}

function longestOf(lane: Lane, enter: number[], leave: number[]): number {
  let longest = 0;
  for (let i = 0; i < enter.length; ++i) {
    longest = Math.max(longest, lane.corrected[leave[i]] - lane.corrected[enter[i]], lane.recorded[leave[i]] - lane.recorded[enter[i]]);
  }
  return longest;
}

/** What is never left, or was entered before, is left out. */
export function regionsOf(lane: Lane): Level[] {
  const found: { enter: number[]; leave: number[] }[] = [];
  const open: number[] = [];
  for (let i = 0; i < lane.kind.length; ++i) {
    if (lane.kind[i] === (Kind.enter as number)) open.push(i);
    if (lane.kind[i] !== (Kind.leave as number)) continue;
    const start = open.pop();
    if (start === undefined || open.length >= kMostLevels) continue;
    while (found.length <= open.length) found.push({ enter: [], leave: [] });
    found[open.length].enter.push(start);
    found[open.length].leave.push(i);
  }
  return found.map((level) => ({
    enter: Uint32Array.from(level.enter), leave: Uint32Array.from(level.leave), longest: longestOf(lane, level.enter, level.leave) }));
}

/** The first region of a level, from number `start` on, that is not left before `time`. */
export function firstLeftFrom(lane: Lane, level: Level, time: number, share: number, start = 0): number {
  let low = start;
  let high = level.leave.length;
  for (let step = 1; low + step < high; step *= 2) {
    if (timeOf(lane, level.leave[low + step - 1], share) >= time) { high = low + step - 1; break; }
    low += step;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(lane, level.leave[middle], share) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Gets a region by number, or, where those in a row are shorter than can be drawn, −1 and the time
 * that they take together. */
export type VisitRegion = (region: number, from: number, to: number) => void;

/** Shows a level from `from` to `to`, with `least` as the shortest time that can be told apart.
 * Cost: proportional to (to − from) / least, whatever the number of regions. */
export function visitRegions(lane: Lane, level: Level, from: number, to: number, share: number, least: number,
  visit: VisitRegion): void {
  let start = NaN; // of short ones, not yet told
  let end = NaN;
  const flush = (): void => {
    if (!Number.isNaN(start)) visit(-1, start, end);
    start = end = NaN;
  };
  for (let i = firstLeftFrom(lane, level, from, share); i < level.enter.length;) {
    const entered = timeOf(lane, level.enter[i], share);
    if (entered > to) break;
    const left = timeOf(lane, level.leave[i], share);
    if (!(entered - end < least)) flush();
    if (left - entered >= least) {
      flush();
      visit(i, entered, left);
      ++i;
      continue;
    }
    const next = Math.max(i + 1, firstLeftFrom(lane, level, entered + least, share, i));
    if (Number.isNaN(start)) start = entered;
    end = timeOf(lane, level.leave[next - 1], share);
    i = next;
  }
  flush();
}

/** The innermost region that holds an event, by its enter and leave events. */
export function innermostAt(levels: readonly Level[], event: number): { enter: number; leave: number } | null {
  for (let depth = levels.length - 1; depth >= 0; --depth) {
    const { enter, leave } = levels[depth];
    let low = 0;
    let high = leave.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (leave[middle] < event) low = middle + 1;
      else high = middle;
    }
    if (low < enter.length && enter[low] <= event) return { enter: enter[low], leave: leave[low] };
  }
  return null;
}

/** Names of regions by the time spent in them, the longest first; at most `count`. */
export function longestRegions(trace: Trace, regions: readonly (readonly Level[])[], count: number): number[] {
  const time = new Map<number, number>();
  regions.forEach((levels, number) => {
    const lane = trace.lanes[number];
    if (lane.nameOf.length === 0) return;
    for (const level of levels) {
      for (let i = 0; i < level.enter.length; ++i) {
        const name = lane.nameOf[level.enter[i]];
        const length = lane.corrected[level.leave[i]] - lane.corrected[level.enter[i]];
        time.set(name, (time.get(name) ?? 0) + Math.max(0, length));
      }
    }
  });
  time.delete(0);
  return [...time].sort((a, b) => b[1] - a[1]).slice(0, count).map(([name]) => name);
}
