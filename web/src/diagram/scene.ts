// What of a trace is to be seen in a view: which rows, events and messages, or that they are too
// many to be drawn one by one.

import { firstFrom, messagesWithin, timeOf, receiveTime, sendTime, State, stateOfDelay, type Trace } from "../data/trace";
import { rowsOf, type Row } from "./rows";
import { kShortest, type View } from "./viewport";

/** More than this become density; all are far beyond what an eye can tell apart. Ink is the length of all arrows
 * in the picture, in pixels: how long they take to draw. */
export const kMostMessages = 5000;
export const kMostInk = 500_000;
export const kMostEvents = 8000;

export type Show = "all" | "inverted" | "too-fast" | "none";

export interface Filter {
  /** Lanes to show, by number. */
  lanes: readonly number[];
  /** Clocks whose lanes share a row. */
  folded: ReadonlySet<number>;
  show: Show;
  /** Only messages between these two clocks, in this direction or any. */
  pair: { from: number; to: number; bothWays: boolean } | null;
}

export interface Scene {
  view: View;
  share: number;
  rows: readonly Row[];
  /** By lane: the number of its row, −1 where it is not shown. */
  rowOf: Int32Array;
  /** By lane: the first event in view and the one after the last; of lanes that are shown. */
  first: Uint32Array;
  after: Uint32Array;
  events: number;
  /** Messages in view, and the first of them by number. */
  messages: number;
  inverted: number;
  tooFast: number;
  /** Of these messages, those that stand for collectives, and of them the inverted ones. */
  ofCollectives: number;
  invertedOfCollectives: number;
  drawn: number[];
  /** Pixels, once it is known how large the picture is. */
  ink: number;
  /** Whether messages, and events, are drawn one by one. */
  areMessagesDrawn: boolean;
  areEventsDrawn: boolean;
}

/** Whether messages between two clocks pass a filter's pair. */
export function isOfPair(from: number, to: number, pair: Filter["pair"]): boolean {
  return pair === null || (from === pair.from && to === pair.to) ||
    (pair.bothWays && from === pair.to && to === pair.from);
}

function isWanted(state: State, show: Show): boolean {
  return show === "all" || (show === "inverted" && state === State.inverted) ||
    (show === "too-fast" && state === State.tooFast);
}

function emptyScene(trace: Trace, view: View, share: number, rows: readonly Row[]): Scene {
  const lanes = trace.lanes.length;
  return {
    view, share, rows, rowOf: new Int32Array(lanes).fill(-1), first: new Uint32Array(lanes), after: new Uint32Array(lanes),
    events: 0, messages: 0, inverted: 0, tooFast: 0, ofCollectives: 0, invertedOfCollectives: 0,
    drawn: [], ink: 0, areMessagesDrawn: true, areEventsDrawn: true,
  };
}

function addMessages(trace: Trace, scene: Scene, filter: Filter): void {
  const { messages: all, lanes } = trace;
  const { share, rowOf } = scene;
  const { from, to } = scene.view;
  const { sendRecorded, sendCorrected, receiveRecorded, receiveCorrected, minimumDelay } = all;
  const [first, after] = messagesWithin(trace, from, to);
  for (let m = first; m < after; ++m) {
    // As sendTime() and receiveTime(), for every message of a trace and frame; without their branch, which
    // would have this compiled anew when the share changes. Whole numbers are exact without it.
    const send = sendRecorded[m] + (sendCorrected[m] - sendRecorded[m]) * share;
    const receive = receiveRecorded[m] + (receiveCorrected[m] - receiveRecorded[m]) * share;
    if ((send < from && receive < from) || (send > to && receive > to)) continue;
    const [sender, receiver] = [all.from[m], all.to[m]];
    if (rowOf[sender] < 0 || rowOf[receiver] < 0) continue;
    const state = stateOfDelay(receive - send, minimumDelay[m]);
    if (filter.show !== "all" && !isWanted(state, filter.show)) continue;
    if (filter.pair !== null && !isOfPair(lanes[sender].clock, lanes[receiver].clock, filter.pair)) continue;
    ++scene.messages;
    if (state === State.inverted) ++scene.inverted;
    if (state === State.tooFast) ++scene.tooFast;
    if (all.isCollective[m] === 1) {
      ++scene.ofCollectives;
      if (state === State.inverted) ++scene.invertedOfCollectives;
    }
    if (scene.messages <= kMostMessages) scene.drawn.push(m);
  }
}

export function findScene(trace: Trace, view: View, share: number, filter: Filter,
  rows: readonly Row[] = rowsOf(trace, filter.lanes, filter.folded)): Scene {
  const scene = emptyScene(trace, view, share, rows);
  rows.forEach((row, place) => {
    for (const number of row.lanes) {
      const lane = trace.lanes[number];
      const first = firstFrom(lane, view.from, share);
      scene.rowOf[number] = place;
      scene.first[number] = first;
      scene.after[number] = Math.max(first, firstFrom(lane, view.to, share));
      scene.events += scene.after[number] - first;
    }
  });
  scene.areEventsDrawn = scene.events <= kMostEvents;
  if (filter.show !== "none") addMessages(trace, scene, filter);
  scene.areMessagesDrawn = scene.messages <= kMostMessages;
  return scene;
}

/** The events and messages of a scene, the others none, with their recorded times. */
export function asRecorded(trace: Trace, scene: Scene): Scene {
  let [from, to] = [Infinity, -Infinity];
  trace.lanes.forEach((lane, number) => {
    for (const event of [scene.first[number], scene.after[number] - 1]) {
      if (scene.rowOf[number] < 0 || scene.first[number] === scene.after[number]) continue;
      from = Math.min(from, timeOf(lane, event, 0));
      to = Math.max(to, timeOf(lane, event, 0));
    }
  });
  if (from > to) return { ...scene, share: 0 };
  const room = Math.max((to - from) * 0.03, kShortest / 2);
  return { ...scene, share: 0, view: { from: from - room, to: to + room }, ink: 0 };
}

/** Finds how much ink the arrows take on so many pixels, and leaves them to density where it is too much. */
export function limitInk(trace: Trace, scene: Scene, width: number, rowHeight: number): void {
  if (!scene.areMessagesDrawn) return;
  const { from, to } = scene.view;
  const pixels = width / (to - from);
  const { messages } = trace;
  for (const m of scene.drawn) {
    const send = sendTime(trace, m, scene.share);
    const receive = receiveTime(trace, m, scene.share);
    const length = Math.abs(receive - send);
    const rows = Math.abs(scene.rowOf[messages.from[m]] - scene.rowOf[messages.to[m]]);
    const inView = length === 0 ? 1 : (Math.min(Math.max(send, receive), to) - Math.max(Math.min(send, receive), from)) / length;
    scene.ink += inView * Math.hypot(length * pixels, rows * rowHeight);
  }
  scene.areMessagesDrawn = scene.ink <= kMostInk;
}

/** The smallest, the median and the largest delay of the messages drawn. */
export function delaysOf(trace: Trace, scene: Scene): { smallest: number; median: number; largest: number } | null {
  if (!scene.areMessagesDrawn || scene.drawn.length === 0) return null;
  const delays = Float64Array.from(scene.drawn, (m) => receiveTime(trace, m, scene.share) - sendTime(trace, m, scene.share)).sort();
  return { smallest: delays[0], median: delays[Math.floor(delays.length / 2)], largest: delays[delays.length - 1] };
}
