// Draws a scene: axis, names, rows, and on them what the scene says can be told apart.

import { formatDate, formatDuration, formatTick, formatTimeOfDay } from "../format";
import { drawEvents, drawMarked, drawMessages, type Marked } from "./arrows";
import { drawRegions, type Tints } from "./boxes";
import { drawDensity } from "./density";
import { kBoldLetter, kFoldWidth, kLetter, type Frame } from "./frame";
import type { Level } from "./regions";
import { ticksOf, type View } from "./viewport";

export interface Overlay {
  marked: Marked | null;
  /** Numbers of names whose events stand out. */
  highlight: ReadonlySet<number>;
  /** The time that is selected. */
  range: View | null;
  /** What the picture shows, where there are several. */
  title: string;
  /** For times of day, when the trace begins, in ns since the epoch. */
  origin: bigint | null;
}

const kTick = 110; // pixels
const kDigit = 7;
const kSelected = 0.22; // opacity, which is seen on dark pages, too

/** `regions`: by lane. */
export function paint(frame: Frame, regions: readonly (readonly Level[])[], tints: Tints, overlay: Overlay): void {
  const { layout, surface, scene } = frame;
  drawAxis(frame, overlay);
  drawNames(frame);
  surface.clip({ x: layout.gutter, y: layout.top, width: layout.width - layout.gutter, height: layout.height - layout.top });
  drawLeftOut(frame);
  drawRegions(frame, regions, tints);
  drawBaselines(frame);
  const isDensity = !scene.areEventsDrawn || !scene.areMessagesDrawn;
  if (isDensity) drawDensity(frame);
  if (scene.areMessagesDrawn) drawMessages(frame);
  // Dots on density would be a line; but what was searched for stands out.
  if (scene.areEventsDrawn) drawEvents(frame, overlay.highlight, isDensity);
  if (overlay.range !== null) drawRange(frame, overlay.range);
  if (overlay.marked !== null) drawMarked(frame, overlay.marked);
  surface.clip(null);
}

// Digits that tell ticks of this step from one another; many in groups of three.
function digitsOf(step: number): number {
  const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step) - 1e-9)));
  return digits > 3 ? Math.ceil(digits / 3) * 3 : digits;
}

function drawAxis(frame: Frame, { title, origin }: Overlay): void {
  const { surface, layout, theme, scene } = frame;
  const { from, to } = scene.view;
  const room = layout.width - layout.gutter;
  const rough = digitsOf((to - from) * kTick / room);
  const { values, step } = ticksOf(from, to, Math.max(2, Math.floor(room / (kTick + kDigit * Math.max(0, rough - 3)))));
  const digits = digitsOf(step);
  const [above, below] = [layout.top - 23, layout.top - 13];
  surface.text(title, { x: 6, y: above }, theme.text, "start", true);
  surface.text(origin === null ? "time" : formatDate(origin), { x: 6, y: title === "" ? above : above + 14 }, theme.muted);
  const lines: number[] = [];
  for (const value of values) {
    const x = frame.x(value);
    if (x < layout.gutter - 1) continue;
    lines.push(x, layout.top - 4, x, layout.height);
    const text = origin === null ? formatTick(value, digits) : formatTimeOfDay(origin + BigInt(Math.round(value)), digits);
    surface.text(text, { x, y: below }, theme.muted, x > layout.width - 50 ? "end" : x < layout.gutter + 30 ? "start" : "middle");
  }
  surface.lines(lines, theme.line, 1);
}

/** With its middle left out where it is too long: names often differ in their ends. */
export function shortened(name: string, letters: number): string {
  const most = Math.max(4, Math.floor(letters));
  if (name.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
}

function drawNames(frame: Frame): void {
  const { surface, layout, theme, scene } = frame;
  surface.clip({ x: 0, y: layout.top, width: layout.gutter - 6, height: layout.height });
  const left = 6 + (scene.rows.some((row) => row.fold !== "none") ? kFoldWidth : 0);
  const isTall = layout.rowHeight >= 32;
  const brackets: number[] = [];
  scene.rows.forEach((row, place) => {
    const y = frame.y(place);
    const isTwoLines = isTall && row.below !== "";
    const room = layout.gutter - left - 8;
    surface.text(shortened(row.title, room / kBoldLetter), { x: left, y: isTwoLines ? y - 8 : y }, theme.text, "start", true);
    if (isTwoLines) surface.text(shortened(row.below, room / kLetter), { x: left, y: y + 8 }, theme.muted);
    const half = layout.rowHeight / 2;
    if (row.fold === "folded") drawFold(frame, y, false);
    if (row.fold === "first") {
      drawFold(frame, y, true);
      brackets.push(10, y + 7, 10, y + half);
    }
    if (row.fold === "further") brackets.push(10, y - half, 10, y, 10, y, 14, y);
    if (row.fold === "further" && scene.rows.at(place + 1)?.fold === "further") brackets.push(10, y, 10, y + half);
  });
  surface.lines(brackets, theme.lane, 1);
  surface.clip(null);
}

function drawFold(frame: Frame, y: number, isOpen: boolean): void {
  const { surface, theme } = frame;
  surface.triangles(isOpen ? [5, y - 3, 15, y - 3, 10, y + 5] : [6, y - 5, 6, y + 5, 14, y], theme.muted);
}

function drawBaselines(frame: Frame): void {
  const { layout, scene } = frame;
  const lines = scene.rows.flatMap((_, place) => [layout.gutter, frame.y(place), layout.width, frame.y(place)]);
  frame.surface.lines(lines, frame.theme.lane, 1);
}

// Outside of the report's window: how many events there are in each part of the trace.
function drawLeftOut(frame: Frame): void {
  const { trace, scene, theme, layout } = frame;
  if (trace.window === null || scene.share !== 1) return;
  const half = layout.rowHeight * 0.38;
  scene.rows.forEach((row, place) => {
    const counts = row.lanes.map((number) => trace.lanes[number].count ?? []);
    const count = (counts[0] ?? []).map((_, part) => counts.reduce((sum, of) => sum + (of[part] ?? 0), 0));
    const most = count.reduce((a, b) => Math.max(a, b), 1);
    const bars: number[] = [];
    count.forEach((n, part) => {
      const from = frame.x((trace.duration * part) / count.length);
      const to = frame.x((trace.duration * (part + 1)) / count.length);
      if (n === 0 || to < layout.gutter || from > layout.width) return;
      const height = Math.max(1, half * (n / most));
      bars.push(from, frame.y(place) - height, Math.max(1, to - from), 2 * height);
    });
    frame.surface.rectangles(bars, theme.faint, 0.5);
  });
  const [from, to] = trace.window;
  frame.surface.lines([frame.x(from), layout.top, frame.x(from), layout.height, frame.x(to), layout.top,
    frame.x(to), layout.height], theme.accent, 1, 1, true);
}

function drawRange(frame: Frame, range: View): void {
  const { surface, layout, theme } = frame;
  const from = Math.max(frame.x(range.from), layout.gutter);
  const to = Math.min(frame.x(range.to), layout.width);
  if (to < from) return;
  const height = layout.height - layout.top;
  surface.rectangles([from, layout.top, to - from, height], theme.accent, kSelected);
  surface.lines([from, layout.top, from, layout.height, to, layout.top, to, layout.height], theme.accent, 1);
  const text = formatDuration(range.to - range.from);
  if (to - from > 7 * text.length) surface.text(text, { x: (from + to) / 2, y: layout.top + 7 }, theme.accent, "middle", true);
}
