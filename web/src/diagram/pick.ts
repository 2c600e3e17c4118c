// What is under the pointer: the nearest event, else the nearest message.

import { firstFrom, receiveTime, sendTime, timeOf, type Trace } from "../data/trace";
import type { Layout, Marked } from "./paint";
import type { Scene } from "./scene";
import { span } from "./viewport";

const kReach = 9; // pixels

function nearestEvent(trace: Trace, scene: Scene, number: number, time: number): number | null {
  const lane = trace.lanes[number];
  const at = firstFrom(lane, time, scene.share);
  let best: number | null = null;
  for (let i = Math.max(0, at - 2); i < Math.min(at + 2, lane.corrected.length); ++i) {
    const distance = Math.abs(timeOf(lane, i, scene.share) - time);
    if (best === null || distance < Math.abs(timeOf(lane, best, scene.share) - time)) best = i;
  }
  return best;
}

function distanceToSegment(px: number, py: number, x1: number, y1: number, x2: number, y2: number): number {
  const dx = x2 - x1;
  const dy = y2 - y1;
  const squared = dx * dx + dy * dy;
  const t = squared === 0 ? 0 : Math.min(1, Math.max(0, ((px - x1) * dx + (py - y1) * dy) / squared));
  return Math.hypot(px - x1 - t * dx, py - y1 - t * dy);
}

export function pick(trace: Trace, scene: Scene, layout: Layout, px: number, py: number): Marked | null {
  const perPixel = span(scene.view) / (layout.width - layout.gutter);
  const time = scene.view.from + (px - layout.gutter) * perPixel;
  const place = Math.floor((py - layout.top) / layout.laneHeight);
  if (px < layout.gutter || place < 0 || place >= scene.lanes.length) return null;
  const lane = scene.lanes[place];
  const y = layout.top + layout.laneHeight * (place + 0.5);
  const event = nearestEvent(trace, scene, lane, time);
  if (event !== null && Math.abs(py - y) <= Math.max(kReach, layout.laneHeight * 0.3)) {
    const distance = Math.abs(timeOf(trace.lanes[lane], event, scene.share) - time) / perPixel;
    if (distance <= kReach) return { lane, event, message: null };
  }
  return scene.areMessagesDrawn ? nearestMessage(trace, scene, layout, px, py, perPixel) : null;
}

function nearestMessage(trace: Trace, scene: Scene, layout: Layout, px: number, py: number,
  perPixel: number): Marked | null {
  const yOf = (lane: number): number => layout.top + layout.laneHeight * (scene.lanes.indexOf(lane) + 0.5);
  const xOf = (time: number): number => layout.gutter + (time - scene.view.from) / perPixel;
  let best: Marked | null = null;
  let least = kReach * 0.7;
  for (const m of scene.drawn) {
    const to = trace.messages.to[m];
    const distance = distanceToSegment(px, py, xOf(sendTime(trace, m, scene.share)), yOf(trace.messages.from[m]),
      xOf(receiveTime(trace, m, scene.share)), yOf(to));
    if (distance >= least) continue;
    least = distance;
    best = { lane: to, event: trace.messages.receive[m], message: m };
  }
  return best;
}
