// Places worth looking at: inverted messages one after the other, the largest changes.

import { delayOf, sendTime, State, stateOf, type Trace } from "../data/trace";
import type { Marked } from "./arrows";

/** The next (direction 1) or previous (−1) message after `time` that is inverted at either end of
 * the slider, by corrected time of its send; goes round at the ends. */
export function nextInversion(trace: Trace, current: number | null, time: number, direction: 1 | -1): number | null {
  const { count } = trace.messages;
  let start = current;
  if (start === null) {
    // Messages stand in order of their corrected sends.
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sendTime(trace, middle, 1) < time) low = middle + 1;
      else high = middle;
    }
    start = direction === 1 ? low - 1 : low;
  }
  for (let step = 1; step <= count; ++step) {
    const m = (((start + direction * step) % count) + count) % count;
    if (stateOf(trace, m, 0) === State.inverted || stateOf(trace, m, 1) === State.inverted) return m;
  }
  return null;
}

/** The event that the logical clock moved furthest; where it moved none, the inverted message with
 * the most negative delay as recorded. */
export function largestChange(trace: Trace): Marked | null {
  return largestAdvance(trace) ?? mostInverted(trace);
}

function largestAdvance(trace: Trace): Marked | null {
  let best: Marked | null = null;
  let most = 0;
  for (const [number, lane] of trace.lanes.entries()) {
    for (const [event, advance] of lane.advance.entries()) {
      if (advance <= most) continue;
      most = advance;
      best = { lane: number, event, message: null };
    }
  }
  return best;
}

function mostInverted(trace: Trace): Marked | null {
  let best: Marked | null = null;
  let least = 0;
  for (let m = 0; m < trace.messages.count; ++m) {
    const delay = delayOf(trace, m, 0);
    if (delay >= least) continue;
    least = delay;
    best = { lane: trace.messages.to[m], event: trace.messages.receive[m], message: m };
  }
  return best;
}
