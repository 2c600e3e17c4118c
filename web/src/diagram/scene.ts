// What of a trace is to be seen in a view: which lanes, events and messages, or that they are too
// many to be drawn one by one.

import { firstFrom, messagesWithin, receiveTime, sendTime, State, stateOfDelay, type Trace } from "../data/trace";
import type { View } from "./viewport";

/** More than this become density; both are far beyond what an eye can tell apart. */
export const kMostMessages = 2500;
export const kMostEvents = 8000;

export type Show = "all" | "inverted" | "too-fast" | "none";

export interface Filter {
  /** Lanes to show, by number. */
  lanes: number[];
  show: Show;
  /** Only messages between these two clocks, in this direction or any. */
  pair: { from: number; to: number; bothWays: boolean } | null;
}

export interface Scene {
  view: View;
  share: number;
  lanes: number[];
  /** Of the lane with the same place in `lanes`: the first event in view and the one after the last. */
  ranges: [number, number][];
  events: number;
  /** Messages in view, and the first of them by number. */
  messages: number;
  inverted: number;
  tooFast: number;
  /** Of these messages, those that stand for collectives, and of them the inverted ones. */
  ofCollectives: number;
  invertedOfCollectives: number;
  drawn: number[];
  /** Whether messages, and events, are drawn one by one. */
  areMessagesDrawn: boolean;
  areEventsDrawn: boolean;
}

function isOfPair(trace: Trace, m: number, pair: Filter["pair"]): boolean {
  if (pair === null) return true;
  const from = trace.lanes[trace.messages.from[m]].clock;
  const to = trace.lanes[trace.messages.to[m]].clock;
  return (from === pair.from && to === pair.to) ||
    (pair.bothWays && from === pair.to && to === pair.from);
}

function isWanted(state: State, show: Show): boolean {
  return show === "all" || (show === "inverted" && state === State.inverted) ||
    (show === "too-fast" && state === State.tooFast);
}

export function findScene(trace: Trace, view: View, share: number, filter: Filter): Scene {
  const scene: Scene = {
    view, share, lanes: filter.lanes, ranges: [], events: 0, messages: 0, inverted: 0, tooFast: 0,
    ofCollectives: 0, invertedOfCollectives: 0,
    drawn: [], areMessagesDrawn: true, areEventsDrawn: true,
  };
  for (const number of filter.lanes) {
    const lane = trace.lanes[number];
    const range: [number, number] = [firstFrom(lane, view.from, share), firstFrom(lane, view.to, share)];
    scene.ranges.push(range);
    scene.events += Math.max(0, range[1] - range[0]);
  }
  scene.areEventsDrawn = scene.events <= kMostEvents;
  if (filter.show === "none") return scene;
  const isShown = new Uint8Array(trace.lanes.length);
  for (const lane of filter.lanes) isShown[lane] = 1;
  const { messages } = trace;
  const [first, after] = messagesWithin(trace, view.from, view.to);
  for (let m = first; m < after; ++m) {
    if (isShown[messages.from[m]] === 0 || isShown[messages.to[m]] === 0) continue;
    const send = sendTime(trace, m, share);
    const receive = receiveTime(trace, m, share);
    if (Math.max(send, receive) < view.from || Math.min(send, receive) > view.to) continue;
    const state = stateOfDelay(receive - send, messages.minimumDelay[m]);
    if (!isWanted(state, filter.show) || !isOfPair(trace, m, filter.pair)) continue;
    ++scene.messages;
    if (state === State.inverted) ++scene.inverted;
    if (state === State.tooFast) ++scene.tooFast;
    if (messages.isCollective[m] === 1) {
      ++scene.ofCollectives;
      if (state === State.inverted) ++scene.invertedOfCollectives;
    }
    if (scene.drawn.length < kMostMessages) scene.drawn.push(m);
  }
  scene.areMessagesDrawn = scene.messages <= kMostMessages;
  return scene;
}

/** The smallest, the median and the largest delay of the messages drawn. */
export function delaysOf(trace: Trace, scene: Scene): { smallest: number; median: number; largest: number } | null {
  if (!scene.areMessagesDrawn || scene.drawn.length === 0) return null;
  const delays = scene.drawn.map((m) => receiveTime(trace, m, scene.share) - sendTime(trace, m, scene.share))
    .sort((a, b) => a - b);
  return {
    smallest: delays[0], median: delays[Math.floor(delays.length / 2)], largest: delays[delays.length - 1],
  };
}
