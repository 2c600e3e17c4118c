// Regions of a process, from pairs of enter and leave events, with their depth.

import { Kind, type Lane } from "../data/trace";

export interface Regions {
  enter: Uint32Array;
  leave: Uint32Array;
  depth: Uint8Array;
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
