// Which messages an event is an end of: by event, in one pass over all messages.

import type { Trace } from "./trace";

interface Ends {
  /** Of each lane, the place of its first event in `first`. */
  start: Uint32Array;
  /** By event of all lanes, one after the other: where its messages begin in `messages`. */
  first: Uint32Array;
  messages: Uint32Array;
}

const known = new WeakMap<Trace, Ends>();

function findEnds(trace: Trace): Ends {
  const { lanes, messages: all } = trace;
  const start = new Uint32Array(lanes.length);
  let events = 0;
  lanes.forEach((lane, i) => {
    start[i] = events;
    events += lane.corrected.length;
  });
  const first = new Uint32Array(events + 1);
  for (let m = 0; m < all.count; ++m) {
    ++first[start[all.from[m]] + all.send[m]];
    ++first[start[all.to[m]] + all.receive[m]];
  }
  let sum = 0;
  for (let i = 0; i <= events; ++i) first[i] = sum += first[i];
  // Filled from behind, so that each count becomes a beginning and messages stay in order.
  const messages = new Uint32Array(sum);
  for (let m = all.count - 1; m >= 0; --m) {
    messages[--first[start[all.from[m]] + all.send[m]]] = m;
    messages[--first[start[all.to[m]] + all.receive[m]]] = m;
  }
  return { start, first, messages };
}

/** The messages that the event is an end of, in order of their sends. Cost: the first call makes a
 * table of 4 bytes per event and 8 per message. */
export function messagesAt(trace: Trace, lane: number, event: number): Uint32Array {
  let ends = known.get(trace);
  if (ends === undefined) known.set(trace, ends = findEnds(trace));
  const at = ends.start[lane] + event;
  return ends.messages.subarray(ends.first[at], ends.first[at + 1]);
}
