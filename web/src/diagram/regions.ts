// Regions of a process, from pairs of enter and leave events, with their depth.

import { Kind, type Lane } from "../data/trace";

export interface Regions {
  enter: Uint32Array;
  leave: Uint32Array;
  depth: Uint8Array;
}

/** Calls `visit` with the number of every region that overlaps the events from `first` up to, but
 * without, `after`. */
export function regionsWithin(regions: Regions, first: number, after: number, visit: (number: number) => void): void {
  let low = 0;
  let high = regions.leave.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (regions.leave[middle] < first) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < regions.enter.length; ++i) {
    if (regions.enter[i] < after) visit(i);
    // What ends later than an outermost region began later as well.
    else if (regions.depth[i] === 0) return;
  }
}

/** In order of the ends of regions. What is never left, or was entered before, is left out. */
export function regionsOf(lane: Lane): Regions {
  const enter: number[] = [];
  const leave: number[] = [];
  const depth: number[] = [];
  const open: number[] = [];
  for (let i = 0; i < lane.kind.length; ++i) {
    if (lane.kind[i] === (Kind.enter as number)) open.push(i);
    if (lane.kind[i] !== (Kind.leave as number)) continue;
    const start = open.pop();
    if (start === undefined) continue;
    enter.push(start);
    leave.push(i);
    depth.push(Math.min(open.length, 255));
  }
  return { enter: Uint32Array.from(enter), leave: Uint32Array.from(leave), depth: Uint8Array.from(depth) };
}
