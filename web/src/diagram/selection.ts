// What there is to say of a range of time: messages and delays by direction, and waiting.

import { messagesAt } from "../data/ends";
import { Kind, firstFrom, receiveTime, sendTime, State, stateOf, timeOf, type Lane, type Trace } from "../data/trace";
import { innermostAt, type Level } from "./regions";
import { isOfPair, type Filter } from "./scene";
import type { View } from "./viewport";

export interface Delays { inverted: number; tooFast: number; least: number; median: number; most: number }

/** Of messages from one clock to another. */
export interface DirectionInRange {
  from: number;
  to: number;
  messages: number;
  recorded: Delays;
  corrected: Delays;
}

export interface RangeFigures {
  range: View;
  events: number;
  messages: number;
  /** What collectives stand for, not among the messages. */
  ofCollectives: { total: number; invertedRecorded: number; invertedCorrected: number };
  /** The most messages first. */
  directions: DirectionInRange[];
  /** Whether any process tells when it waits. */
  isWaitingKnown: boolean;
  /** By lane, the longest first; those that waited. */
  waiting: { lane: number; time: number }[];
}

function delaysOf(trace: Trace, messages: number[], share: 0 | 1): Delays {
  const figures = { inverted: 0, tooFast: 0, least: 0, median: 0, most: 0 };
  const delays = Float64Array.from(messages, (m) => {
    const state = stateOf(trace, m, share);
    if (state === State.inverted) ++figures.inverted;
    if (state === State.tooFast) ++figures.tooFast;
    return receiveTime(trace, m, share) - sendTime(trace, m, share);
  }).sort();
  if (delays.length === 0) return figures;
  return { ...figures, least: delays[0], median: delays[Math.floor(delays.length / 2)], most: delays[delays.length - 1] };
}

/** Messages that are sent within the range, by direction, and what collectives stand for. */
function messagesIn(trace: Trace, range: View, share: number, filter: Filter): Pick<RangeFigures, "directions" | "ofCollectives"> {
  const { messages: all, lanes, clockNames } = trace;
  const isShown = new Set(filter.lanes);
  const found = new Map<number, number[]>();
  const ofCollectives = { total: 0, invertedRecorded: 0, invertedCorrected: 0 };
  for (let m = 0; m < all.count; ++m) {
    const send = sendTime(trace, m, share);
    if (send < range.from || send > range.to) continue;
    const [sender, receiver] = [all.from[m], all.to[m]];
    const [from, to] = [lanes[sender].clock, lanes[receiver].clock];
    if (!isShown.has(sender) || !isShown.has(receiver) || !isOfPair(from, to, filter.pair)) continue;
    if (all.isCollective[m] === 1) {
      ++ofCollectives.total;
      if (stateOf(trace, m, 0) === State.inverted) ++ofCollectives.invertedRecorded;
      if (stateOf(trace, m, 1) === State.inverted) ++ofCollectives.invertedCorrected;
      continue;
    }
    const key = from * clockNames.length + to;
    const list = found.get(key);
    if (list === undefined) found.set(key, [m]);
    else list.push(m);
  }
  const directions = [...found].map(([key, messages]) => ({
    from: Math.floor(key / clockNames.length), to: key % clockNames.length, messages: messages.length,
    recorded: delaysOf(trace, messages, 0), corrected: delaysOf(trace, messages, 1),
  })).sort((a, b) => b.messages - a.messages || a.from - b.from || a.to - b.to);
  return { directions, ofCollectives };
}

function overlap(from: number, to: number, range: View): number {
  return Math.max(0, Math.min(to, range.to) - Math.max(from, range.from));
}

function isEndOfWait(kind: number): boolean {
  return kind === (Kind.receive as number) || kind === (Kind.send as number) || kind === (Kind.end as number);
}

/** How long a process waits within the range: from a recorded wait to the next send or receive, from
 * the begin of a collective to its end, and from the call that receives a message until that is
 * sent. Messages that were sent before the call are not waited for. */
export function waitingIn(trace: Trace, number: number, levels: readonly Level[], range: View, share: number): number {
  const lane = trace.lanes[number];
  let sum = 0;
  let since: number | null = waitBefore(lane, firstFrom(lane, range.from, share));
  for (let i = firstFrom(lane, range.from, share); i < lane.kind.length; ++i) {
    const time = timeOf(lane, i, share);
    const kind = lane.kind[i];
    if (since !== null && isEndOfWait(kind)) {
      sum += overlap(timeOf(lane, since, share), time, range);
      since = null;
    } else if (kind === (Kind.receive as number)) {
      sum += lateSender(trace, number, levels, i, range, share);
    }
    if (time > range.to) {
      // What began within the range may end after it.
      if (since === null && kind !== (Kind.mark as number)) break;
      continue;
    }
    if (kind === (Kind.block as number) || kind === (Kind.begin as number)) since = i;
  }
  return sum;
}

// The wait that the first event of a range may end.
function waitBefore(lane: Lane, first: number): number | null {
  for (let i = first - 1; i >= Math.max(0, first - 1000); --i) {
    if (lane.kind[i] === (Kind.block as number) || lane.kind[i] === (Kind.begin as number)) return i;
    if (isEndOfWait(lane.kind[i])) return null;
  }
  return null;
}

function lateSender(trace: Trace, number: number, levels: readonly Level[], event: number, range: View, share: number): number {
  const region = innermostAt(levels, event);
  if (region === null) return 0;
  const lane = trace.lanes[number];
  const entered = timeOf(lane, region.enter, share);
  let most = 0;
  for (const m of messagesAt(trace, number, event)) {
    if (trace.messages.to[m] !== number || trace.messages.receive[m] !== event) continue;
    most = Math.max(most, overlap(entered, Math.min(sendTime(trace, m, share), timeOf(lane, event, share)), range));
  }
  return most;
}

function tellsWaits(lane: Lane, levels: readonly Level[]): boolean {
  if (lane.kind.includes(Kind.block) || lane.kind.includes(Kind.begin)) return true;
  const receive = lane.kind.indexOf(Kind.receive);
  return receive >= 0 && innermostAt(levels, receive) !== null;
}

/** `regions`: by lane. Cost: a pass over all messages, and the events of the range. */
export function figuresOf(trace: Trace, regions: readonly (readonly Level[])[], range: View, share: number, filter: Filter): RangeFigures {
  const figures: RangeFigures = { range, events: 0, messages: 0, ...messagesIn(trace, range, share, filter), isWaitingKnown: false, waiting: [] };
  for (const direction of figures.directions) figures.messages += direction.messages;
  for (const number of filter.lanes) {
    const lane = trace.lanes[number];
    figures.events += Math.max(0, firstFrom(lane, range.to, share) - firstFrom(lane, range.from, share));
    figures.isWaitingKnown ||= tellsWaits(lane, regions[number]);
    const time = waitingIn(trace, number, regions[number], range, share);
    if (time > 0) figures.waiting.push({ lane: number, time });
  }
  figures.waiting.sort((a, b) => b.time - a.time || a.lane - b.lane);
  return figures;
}
