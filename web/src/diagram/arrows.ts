// Messages as arrows, events as dots, and what is selected.

import { receiveTime, sendTime, stateOfDelay, timeOf, State } from "../data/trace";
import type { Frame } from "./frame";
import { NumberList } from "./numbers";
import type { Coordinates } from "./surface";

const kMuchInk = 150_000; // pixels

export interface Marked { lane: number; event: number; message: number | null }

// Fine, too fast, inverted, of collectives; kept from frame to frame.
const classes = [new NumberList(), new NumberList(), new NumberList(), new NumberList()];

export function drawMessages(frame: Frame): void {
  const { scene, trace, theme, surface } = frame;
  for (const list of classes) list.clear();
  for (const m of scene.drawn) {
    const send = sendTime(trace, m, scene.share);
    const receive = receiveTime(trace, m, scene.share);
    const state = stateOfDelay(receive - send, trace.messages.minimumDelay[m]);
    const isOfCollective = trace.messages.isCollective[m] === 1 && state === State.fine;
    classes[isOfCollective ? 3 : state].push4(frame.held(frame.x(send)), frame.y(scene.rowOf[trace.messages.from[m]]),
      frame.held(frame.x(receive)), frame.y(scene.rowOf[trace.messages.to[m]]));
  }
  const count = scene.drawn.length;
  const opacity = count > 1000 ? 0.45 : count > 300 ? 0.65 : 0.9;
  // Canvases draw lines of up to one pixel several times faster than wider ones.
  const width = count > 300 || scene.ink > kMuchInk ? 0.8 : 1.2;
  const [fine, fast, inverted, collective] = classes.map((list) => list.values);
  surface.lines(collective, theme.collective, width, opacity * 0.8, count < 300);
  surface.lines(fine, theme.message, width, opacity);
  surface.lines(fast, theme.fast, width + 0.2, Math.max(opacity, 0.7));
  surface.lines(inverted, theme.inverted, width + 0.2, Math.max(opacity, 0.6));
  if (count > 400) return;
  drawHeads(frame, collective, theme.collective);
  drawHeads(frame, fine, theme.message);
  drawHeads(frame, fast, theme.fast);
  drawHeads(frame, inverted, theme.inverted);
}

function drawHeads(frame: Frame, lines: Coordinates, color: string): void {
  const heads: number[] = [];
  for (let i = 0; i < lines.length; i += 4) {
    const [x1, y1, x2, y2] = [lines[i], lines[i + 1], lines[i + 2], lines[i + 3]];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 12) continue;
    const ux = (x2 - x1) / length;
    const uy = (y2 - y1) / length;
    const base = { x: x2 - 9 * ux, y: y2 - 9 * uy };
    heads.push(x2, y2, base.x - 3.5 * uy, base.y + 3.5 * ux, base.x + 3.5 * uy, base.y - 3.5 * ux);
  }
  frame.surface.triangles(heads, color);
}

// Kept from frame to frame.
const dots = new NumberList();
const found = new NumberList();

/** `highlight`: numbers of names whose events stand out; the others may be left to density. */
export function drawEvents(frame: Frame, highlight: ReadonlySet<number>, isDensity: boolean): void {
  if (isDensity && highlight.size === 0) return;
  const { scene, trace, theme, layout, surface } = frame;
  dots.clear();
  found.clear();
  scene.rows.forEach((row, place) => {
    for (const number of row.lanes) {
      const lane = trace.lanes[number];
      for (let i = scene.first[number]; i < scene.after[number]; ++i) {
        const isFound = highlight.size > 0 && highlight.has(lane.nameOf[i] ?? 0);
        (isFound ? found : dots).push2(frame.x(timeOf(lane, i, scene.share)), frame.y(place));
      }
    }
  });
  const radius = Math.min(layout.rowHeight / 8, scene.events > 3000 ? 1.2 : scene.events > 500 ? 2 : 3);
  if (!isDensity) surface.dots(dots.values, radius, theme.event);
  surface.dots(found.values, radius + 2, theme.accent);
}

export function drawMarked(frame: Frame, marked: Marked): void {
  const { scene, trace, theme, surface } = frame;
  if (marked.message !== null) {
    const m = marked.message;
    const from = scene.rowOf[trace.messages.from[m]];
    const to = scene.rowOf[trace.messages.to[m]];
    if (from >= 0 && to >= 0) {
      const line = [frame.held(frame.x(sendTime(trace, m, scene.share))), frame.y(from),
        frame.held(frame.x(receiveTime(trace, m, scene.share))), frame.y(to)];
      // Around the arrow, whose color tells how it is.
      surface.lines(line, theme.accent, 7, 0.3);
    }
  }
  const place = scene.rowOf[marked.lane];
  if (place < 0) return;
  const at = [frame.x(timeOf(trace.lanes[marked.lane], marked.event, scene.share)), frame.y(place)];
  surface.dots(at, 5, theme.accent);
  surface.dots(at, 2.5, theme.page);
}
