// Places worth looking at: where the page opens, inverted messages one after the other, the largest change.

import { delayOf, receiveTime, sendTime, State, stateOf, type Trace } from "../data/trace";
import type { Marked } from "./arrows";
import { around, type View } from "./viewport";

// Messages before and after the one that is shown; its delay takes this share of the picture, at least and at most.
const kNeighbours = 6;
const kSmallestShare = 1 / 20;
const kLargestShare = 1 / 6;
const kCompared = 15;

function withState(trace: Trace, wanted: State): number[] {
  const found: number[] = [];
  for (let m = 0; m < trace.messages.count; ++m) {
    if (stateOf(trace, m, 0) === wanted) found.push(m);
  }
  return found;
}

/** A message to begin with, from the middle of the trace: one that was recorded as inverted, else as too fast, else any;
 * where some are no parts of collectives, one of these. Null: there are no messages. */
export function exampleOf(trace: Trace): number | null {
  for (const state of [State.inverted, State.tooFast, State.fine]) {
    const all = withState(trace, state);
    const single = all.filter((m) => trace.messages.isCollective[m] === 0);
    const candidates = single.length > 0 ? single : all;
    if (candidates.length === 0) continue;
    const first = Math.max(0, Math.floor((candidates.length - kCompared) / 2));
    const near = candidates.slice(first, first + kCompared).sort((a, b) => delayOf(trace, a, 1) - delayOf(trace, b, 1));
    return near[Math.floor(near.length / 2)];
  }
  return null;
}

/** A message and its neighbours, at a share of the slider, so near that its arrow can be seen to lean. */
export function viewAround(trace: Trace, message: number, share = 1): View {
  const { count } = trace.messages;
  let [from, to] = [Infinity, -Infinity];
  for (let m = Math.max(0, message - kNeighbours); m < Math.min(count, message + kNeighbours + 1); ++m) {
    from = Math.min(from, sendTime(trace, m, share));
    to = Math.max(to, receiveTime(trace, m, share));
  }
  const delay = delayOf(trace, message, share);
  const size = Math.abs(delay);
  const length = Math.max(200, size / kLargestShare, Math.min(to - from, size === 0 ? Infinity : size / kSmallestShare));
  return around(sendTime(trace, message, share) + delay / 2, length);
}

/** The next (direction 1) or previous (−1) message that is inverted at either end of the slider, in order of corrected
 * sends; after none, the first or last. Goes round at the ends. */
export function nextInversion(trace: Trace, current: number | null, direction: 1 | -1): number | null {
  const { count } = trace.messages;
  const start = current ?? (direction === 1 ? -1 : count);
  for (let step = 1; step <= count; ++step) {
    const m = (((start + direction * step) % count) + count) % count;
    if (stateOf(trace, m, 0) === State.inverted || stateOf(trace, m, 1) === State.inverted) return m;
  }
  return null;
}

/** The event that the logical clock moved furthest; null: it moved none. */
export function largestChange(trace: Trace): Marked | null {
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

/** The first event after a corrected time, or else the very first, that has one of these names, or is of one of these
 * lanes. Cost: all events. */
export function nextFound(trace: Trace, names: ReadonlySet<number>, lanes: ReadonlySet<number>, after: number): Marked | null {
  let [next, first]: (Marked | null)[] = [null, null];
  let [nextTime, firstTime] = [Infinity, Infinity];
  for (const [number, lane] of trace.lanes.entries()) {
    for (let event = 0; event < lane.corrected.length; ++event) {
      if (!lanes.has(number) && !names.has(lane.nameOf[event] ?? 0)) continue;
      const time = lane.corrected[event];
      if (time < firstTime) [first, firstTime] = [{ lane: number, event, message: null }, time];
      if (time > after && time < nextTime) [next, nextTime] = [{ lane: number, event, message: null }, time];
    }
  }
  return next ?? first;
}

/** How many events have one of these names. */
export function countNamed(trace: Trace, names: ReadonlySet<number>): number {
  return trace.lanes.reduce((sum, lane) => sum + lane.nameOf.reduce((n, name) => n + (names.has(name) ? 1 : 0), 0), 0);
}
