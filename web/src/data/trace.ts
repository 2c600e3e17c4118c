// Events and messages with both times, decoded into typed arrays.
//
// Times are nanoseconds since the earliest corrected event, exact up to 104 days (2^53 ns).

import { ByteReader, fromBase64 } from "./bytes";
import type { TraceMeta } from "./meta";
import { directionsOf, type Summary } from "./summary";

export const kKinds = ["send", "receive", "broadcast", "waits", "enters", "leaves", "event",
  "collective begins", "collective ends"] as const;
export const enum Kind { send, receive, broadcast, block, enter, leave, mark, begin, end }

/** A message as it is at some time: in order, faster than its minimum delay, inverted. */
export const enum State { fine, tooFast, inverted }

export interface Lane {
  name: string;
  label: string;
  /** What people call it, unlike any other. */
  title: string;
  clock: number;
  total: number;
  recorded: Float64Array;
  corrected: Float64Array;
  /** Of the corrected time, what the logical clock added; empty: nothing anywhere. */
  advance: Float64Array;
  index: Float64Array;
  kind: Uint8Array;
  /** Numbers of names; empty: no event has one. */
  nameOf: Uint32Array;
  /** How many of the first i events are ends of inverted messages, as recorded and corrected. */
  invertedRecorded: Uint32Array;
  invertedCorrected: Uint32Array;
  /** Events per part of the whole trace, where some were left out. */
  count: number[] | null;
}

export interface Messages {
  count: number;
  from: Uint32Array;
  to: Uint32Array;
  send: Uint32Array;
  receive: Uint32Array;
  isCollective: Uint8Array;
  minimumDelay: Float64Array;
  /** The times of both ends again, side by side for passes over all messages. */
  sendRecorded: Float64Array;
  sendCorrected: Float64Array;
  receiveRecorded: Float64Array;
  receiveCorrected: Float64Array;
  /** No message takes longer, at any share; and no send is further from its corrected time. */
  longest: number;
  furthest: number;
}

/** What corrects a clock by itself: one straight line, or several pieces of such. */
export interface ClockLine { pieces: number; driftPpm: number | null }

export interface Trace {
  meta: TraceMeta;
  origin: bigint;
  duration: number;
  clockNames: string[];
  clockLines: ClockLine[];
  lanes: Lane[];
  messages: Messages;
  window: [number, number] | null;
}

function readLane(reader: ByteReader, meta: TraceMeta, number: number, origin: bigint): Lane {
  const process = meta.processes[number];
  const clock = meta.clocks.at(process.clock);
  if (clock === undefined) throw new Error("the report lacks a clock");
  const n = process.events;
  const fields = reader.byte();
  const lane: Lane = {
    name: process.name, label: process.label,
    title: process.title, clock: process.clock, total: process.total,
    recorded: new Float64Array(n), corrected: new Float64Array(n),
    advance: new Float64Array(fields & 1 ? n : 0), index: new Float64Array(n),
    kind: new Uint8Array(n), nameOf: new Uint32Array(fields & 2 ? n : 0),
    invertedRecorded: new Uint32Array(n + 1), invertedCorrected: new Uint32Array(n + 1),
    count: process.count ?? null,
  };
  let recorded = Number(BigInt(clock.origin) - origin);
  let corrected = 0;
  let index = 0;
  for (let i = 0; i < n; ++i) {
    const step = reader.signed();
    recorded += step;
    corrected += step + reader.signed();
    index += reader.signed();
    lane.recorded[i] = recorded;
    lane.corrected[i] = corrected;
    lane.index[i] = index;
    lane.kind[i] = reader.byte();
    if (fields & 1) lane.advance[i] = reader.signed();
    if (fields & 2) lane.nameOf[i] = reader.unsigned();
  }
  return lane;
}

function readMessages(reader: ByteReader, count: number, lanes: number): Messages {
  const messages: Messages = {
    count, from: new Uint32Array(count), to: new Uint32Array(count), send: new Uint32Array(count),
    receive: new Uint32Array(count), isCollective: new Uint8Array(count),
    minimumDelay: new Float64Array(count),
    sendRecorded: new Float64Array(count), sendCorrected: new Float64Array(count),
    receiveRecorded: new Float64Array(count), receiveCorrected: new Float64Array(count),
    longest: 0, furthest: 0,
  };
  const last = new Float64Array(lanes);
  for (let i = 0; i < count; ++i) {
    const first = reader.unsigned();
    const from = Math.floor(first / 2);
    const to = reader.unsigned();
    messages.from[i] = from;
    messages.to[i] = to;
    messages.isCollective[i] = first % 2;
    messages.send[i] = last[from] += reader.signed();
    messages.receive[i] = last[to] += reader.signed();
  }
  return messages;
}

function fillMinimumDelays(trace: Trace, summary: Summary): void {
  const delays = new Map<string, number>();
  for (const d of directionsOf(summary)) {
    delays.set(JSON.stringify([d.from, d.to]), d.direction.min_delay_used_ns);
  }
  const { messages, lanes, clockNames } = trace;
  const known = new Map<number, number>();
  for (let m = 0; m < messages.count; ++m) {
    const from = lanes[messages.from[m]].clock;
    const to = lanes[messages.to[m]].clock;
    const key = from * clockNames.length + to;
    let delay = known.get(key);
    if (delay === undefined) {
      delay = delays.get(JSON.stringify([clockNames[from], clockNames[to]])) ?? 0;
      known.set(key, delay);
    }
    messages.minimumDelay[m] = delay;
  }
}

function fillTimes(trace: Trace): void {
  const { messages: all, lanes } = trace;
  for (let m = 0; m < all.count; ++m) {
    const send = lanes[all.from[m]];
    const receive = lanes[all.to[m]];
    all.sendRecorded[m] = send.recorded[all.send[m]];
    all.sendCorrected[m] = send.corrected[all.send[m]];
    all.receiveRecorded[m] = receive.recorded[all.receive[m]];
    all.receiveCorrected[m] = receive.corrected[all.receive[m]];
    all.longest = Math.max(all.longest, Math.abs(all.receiveRecorded[m] - all.sendRecorded[m]),
      Math.abs(all.receiveCorrected[m] - all.sendCorrected[m]));
    all.furthest = Math.max(all.furthest, Math.abs(all.sendCorrected[m] - all.sendRecorded[m]));
  }
}

function countInverted(trace: Trace): void {
  const { messages, lanes } = trace;
  for (let m = 0; m < messages.count; ++m) {
    const send = lanes[messages.from[m]];
    const receive = lanes[messages.to[m]];
    const ends: [Lane, number][] = [[send, messages.send[m]], [receive, messages.receive[m]]];
    for (const [lane, event] of ends) {
      if (stateOf(trace, m, 0) === State.inverted) lane.invertedRecorded[event + 1] = 1;
      if (stateOf(trace, m, 1) === State.inverted) lane.invertedCorrected[event + 1] = 1;
    }
  }
  for (const lane of lanes) {
    for (const sums of [lane.invertedRecorded, lane.invertedCorrected]) {
      for (let i = 1; i < sums.length; ++i) sums[i] += sums[i - 1];
    }
  }
}

/** "Too fast" says something only where a minimum delay was given or assumed. */
export function hasMinimumDelay(trace: Trace): boolean {
  return trace.messages.minimumDelay.some((delay) => delay > 0);
}

/** `text` is the base64 of the events; `summary` gives the names of clocks and minimum delays. */
export function decodeTrace(meta: TraceMeta, text: string, summary: Summary): Trace {
  const origin = BigInt(meta.extent[0]);
  const reader = new ByteReader(fromBase64(text));
  const lanes = meta.processes.map((_, i) => readLane(reader, meta, i, origin));
  const messages = readMessages(reader, meta.messages, lanes.length);
  if (!reader.done) throw new Error("the report's data goes on after its end");
  const window = meta.window;
  const trace: Trace = {
    meta, origin, lanes, messages,
    duration: Math.max(1, Number(BigInt(meta.extent[1]) - origin)),
    clockNames: summary.clocks.map((clock) => clock.name),
    clockLines: summary.clocks.map((clock, i) => ({ pieces: Math.max(1, meta.clocks[i].rates.since.length), driftPpm: clock.drift_ppm })),
    window: window && [Number(BigInt(window[0]) - origin), Number(BigInt(window[1]) - origin)],
  };
  fillMinimumDelays(trace, summary);
  fillTimes(trace);
  countInverted(trace);
  return trace;
}

/** An event's time where `share` is 0 as recorded, 1 corrected, and in between on the way. */
export function timeOf(lane: Lane, event: number, share: number): number {
  const recorded = lane.recorded[event];
  if (share === 0) return recorded;
  return between(recorded, lane.corrected[event], share);
}

// At the ends exactly the times themselves.
function between(recorded: number, corrected: number, share: number): number {
  return share === 1 ? corrected : recorded + (corrected - recorded) * share;
}

export function sendTime(trace: Trace, m: number, share: number): number {
  const recorded = trace.messages.sendRecorded[m];
  return share === 0 ? recorded : between(recorded, trace.messages.sendCorrected[m], share);
}

export function receiveTime(trace: Trace, m: number, share: number): number {
  const recorded = trace.messages.receiveRecorded[m];
  return share === 0 ? recorded : between(recorded, trace.messages.receiveCorrected[m], share);
}

export function delayOf(trace: Trace, m: number, share: number): number {
  return receiveTime(trace, m, share) - sendTime(trace, m, share);
}

export function stateOfDelay(delay: number, minimum: number): State {
  return delay < 0 ? State.inverted : delay < minimum ? State.tooFast : State.fine;
}

export function stateOf(trace: Trace, m: number, share: number): State {
  return stateOfDelay(delayOf(trace, m, share), trace.messages.minimumDelay[m]);
}

/** The first message, in order of corrected sends, that can be seen from `from` on; and the one
 * after the last that can be seen up to `to`. */
export function messagesWithin(trace: Trace, from: number, to: number): [number, number] {
  const { sendCorrected, longest, furthest } = trace.messages;
  const first = (time: number): number => {
    let low = 0;
    let high = sendCorrected.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sendCorrected[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [first(from - longest - furthest), first(to + longest + furthest + 1)];
}

/** The first event, from number `start` on, whose time is not before `time`. Times within a lane
 * hardly ever go back. */
export function firstFrom(lane: Lane, time: number, share: number, start = 0): number {
  const { recorded, corrected } = lane;
  let low = start;
  let high = corrected.length;
  // As timeOf(), which would be called a million times per frame.
  const isBefore = (i: number): boolean =>
    (share === 1 ? corrected[i] : recorded[i] + (corrected[i] - recorded[i]) * share) < time;
  // Near the start it is found in a few steps.
  for (let step = 4; start > 0 && low + step < high; step *= 2) {
    if (!isBefore(low + step)) { high = low + step; break; }
    low += step + 1;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From the first to the last event at this share; of corrected times also those left out. */
export function extentOf(trace: Trace, share: number): [number, number] {
  if (share === 1) return [0, trace.duration];
  let low = Infinity;
  let high = -Infinity;
  for (const lane of trace.lanes) {
    const n = lane.corrected.length;
    if (n === 0) continue;
    low = Math.min(low, timeOf(lane, 0, share));
    high = Math.max(high, timeOf(lane, n - 1, share));
  }
  return low < high ? [low, high] : [0, trace.duration];
}
