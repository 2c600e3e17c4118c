// What is under the pointer: the nearest event, else the nearest message.

import { firstFrom, receiveTime, sendTime, timeOf, type Trace } from "../data/trace";
import type { Marked } from "./arrows";
import type { Layout } from "./frame";
import type { Scene } from "./scene";
import { span } from "./viewport";

const kReach = 9; // pixels

function nearestOfLane(trace: Trace, scene: Scene, number: number, time: number): { event: number; distance: number } | null {
  const lane = trace.lanes[number];
  const at = firstFrom(lane, time, scene.share);
  let best: { event: number; distance: number } | null = null;
  for (let i = Math.max(0, at - 2); i < Math.min(at + 2, lane.corrected.length); ++i) {
    const distance = Math.abs(timeOf(lane, i, scene.share) - time);
    if (best === null || distance < best.distance) best = { event: i, distance };
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

/** The number of the row there; null: none. */
export function rowAt(scene: Scene, layout: Layout, py: number): number | null {
  const place = Math.floor((py - layout.top) / layout.rowHeight);
  return place < 0 || place >= scene.rows.length ? null : place;
}

export function pick(trace: Trace, scene: Scene, layout: Layout, px: number, py: number): Marked | null {
  const perPixel = span(scene.view) / (layout.width - layout.gutter);
  const time = scene.view.from + (px - layout.gutter) * perPixel;
  const place = rowAt(scene, layout, py);
  if (px < layout.gutter || place === null) return null;
  const y = layout.top + layout.rowHeight * (place + 0.5);
  if (Math.abs(py - y) <= Math.max(kReach, layout.rowHeight * 0.3)) {
    let best: Marked | null = null;
    let least = kReach * perPixel;
    for (const lane of scene.rows[place].lanes) {
      const nearest = nearestOfLane(trace, scene, lane, time);
      if (nearest === null || nearest.distance > least) continue;
      least = nearest.distance;
      best = { lane, event: nearest.event, message: null };
    }
    if (best !== null) return best;
  }
  return scene.areMessagesDrawn ? nearestMessage(trace, scene, layout, px, py, perPixel) : null;
}

function nearestMessage(trace: Trace, scene: Scene, layout: Layout, px: number, py: number,
  perPixel: number): Marked | null {
  const yOf = (lane: number): number => layout.top + layout.rowHeight * (scene.rowOf[lane] + 0.5);
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
