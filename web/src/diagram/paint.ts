// Draws a scene: axis, lanes, regions, events or their density, message arrows.

import { firstFrom, receiveTime, sendTime, State, stateOfDelay, timeOf, type Trace, type Lane } from "../data/trace";
import { formatInstant } from "../format";
import type { Theme } from "../theme";
import { regionsWithin, type Regions } from "./regions";
import type { Scene } from "./scene";
import type { Surface } from "./surface";
import { span, ticksOf } from "./viewport";

export interface Layout {
  width: number;
  height: number;
  /** Left of the lanes, for names. */
  gutter: number;
  top: number;
  laneHeight: number;
}

export const kAxis = 34;

/** `longest`: the letters of the longest name of a lane. */
export function layoutFor(width: number, lanes: number, longest: number): Layout {
  const laneHeight = Math.min(96, Math.max(20, 520 / Math.max(1, lanes)));
  return {
    width, laneHeight, top: kAxis, gutter: Math.round(Math.min(Math.max(64, longest * 7 + 18), 180, width * 0.25)),
    height: Math.ceil(kAxis + laneHeight * lanes + 8),
  };
}

// Bars of equal height side by side become one rectangle.
function pushBars(rectangles: number[], heights: number[], left: number, width: number, y: number): void {
  for (let column = 0; column < heights.length;) {
    const height = heights[column];
    let end = column + 1;
    while (end < heights.length && heights[end] === height) ++end;
    if (height > 0) rectangles.push(left + column * width, y - height, (end - column) * width, 2 * height);
    column = end;
  }
}

export interface Marked { lane: number; event: number; message: number | null }

export class Painter {
  constructor(
    private readonly surface: Surface,
    private readonly trace: Trace,
    private readonly scene: Scene,
    private readonly layout: Layout,
    private readonly theme: Theme,
    private readonly regions: Regions[],
  ) {}

  paint(marked: Marked | null, highlight: Set<number>): void {
    const { layout, surface } = this;
    this.axis();
    this.names();
    surface.clip({
      x: layout.gutter, y: layout.top, width: layout.width - layout.gutter, height: layout.height - layout.top,
    });
    this.leftOut();
    this.baselines();
    if (this.scene.areEventsDrawn) this.regionBoxes();
    if (!this.scene.areEventsDrawn || !this.scene.areMessagesDrawn) this.density();
    if (this.scene.areMessagesDrawn) this.messages();
    if (this.scene.areEventsDrawn) this.events(highlight);
    if (marked !== null) this.mark(marked);
    surface.clip(null);
  }

  x(time: number): number {
    const { view } = this.scene;
    return this.layout.gutter + ((time - view.from) / span(view)) * (this.layout.width - this.layout.gutter);
  }

  y(place: number): number {
    return this.layout.top + this.layout.laneHeight * (place + 0.5);
  }

  // Coordinates far outside confuse canvases; lines are cut well outside of the picture.
  private held(x: number): number {
    return Math.min(Math.max(x, -20000), 20000 + this.layout.width);
  }

  private axis(): void {
    const { surface, layout, theme, scene } = this;
    const wanted = Math.max(2, Math.floor((layout.width - layout.gutter) / 120));
    const { values, step } = ticksOf(scene.view.from, scene.view.to, wanted);
    const unit = step >= 1e8 ? { ns: 1e9, name: "s" } : step >= 1e5 ? { ns: 1e6, name: "ms" }
      : step >= 1e2 ? { ns: 1e3, name: "µs" } : { ns: 1, name: "ns" };
    // Long numbers are said once, at the left; ticks count from there.
    const isFar = Math.abs(scene.view.from) > 1000 * step;
    const base = isFar ? Math.floor(scene.view.from / (100 * step)) * 100 * step : 0;
    const digits = Math.max(0, Math.round(-Math.log10(step / unit.ns) + 0.35));
    surface.text(base === 0 ? "time" : `${formatInstant(base).replace(/(\u202f000)+\u00a0s$/, "\u00a0s")} +`, { x: 4, y: 11 }, theme.muted);
    const lines: number[] = [];
    for (const value of values) {
      const x = this.x(value);
      if (x < layout.gutter - 1) continue;
      lines.push(x, layout.top - 4, x, layout.height);
      const number = ((value - base) / unit.ns).toFixed(digits).replace("-", "\u2212");
      const align = x > layout.width - 40 ? "end" : x < layout.gutter + 30 && !isFar ? "start" : "middle";
      surface.text(`${number} ${unit.name}`, { x, y: layout.top - 13 }, theme.muted, align);
    }
    surface.lines(lines, theme.line, 1);
  }

  private names(): void {
    const { surface, layout, theme, scene, trace } = this;
    if (layout.laneHeight < 11) return;
    surface.clip({ x: 0, y: layout.top, width: layout.gutter - 6, height: layout.height });
    scene.lanes.forEach((number, place) => {
      const lane = trace.lanes[number];
      const clock = trace.clockNames[lane.clock] ?? "";
      const isTall = layout.laneHeight >= 32;
      const below = clock === lane.name || clock === lane.title ? "" : `clock ${clock}`;
      const y = this.y(place);
      surface.text(lane.title, { x: 6, y: isTall && below !== "" ? y - 8 : y }, theme.text, "start", true);
      if (isTall && below !== "") surface.text(below, { x: 6, y: y + 8 }, theme.muted);
    });
    surface.clip(null);
  }

  private baselines(): void {
    const { layout, scene } = this;
    const lines = scene.lanes.flatMap((_, place) => [layout.gutter, this.y(place), layout.width, this.y(place)]);
    this.surface.lines(lines, this.theme.lane, 1);
  }

  // Outside of the report's window: how many events there are in each part of the trace.
  private leftOut(): void {
    const { trace, scene, theme, layout } = this;
    if (trace.window === null || scene.share !== 1) return;
    const half = layout.laneHeight * 0.38;
    scene.lanes.forEach((number, place) => {
      const count = trace.lanes[number].count;
      if (count === null) return;
      const most = count.reduce((a, b) => Math.max(a, b), 1);
      const bars: number[] = [];
      count.forEach((n, part) => {
        const from = this.x((trace.duration * part) / count.length);
        const to = this.x((trace.duration * (part + 1)) / count.length);
        if (n === 0 || to < layout.gutter || from > layout.width) return;
        const height = Math.max(1, half * (n / most));
        bars.push(from, this.y(place) - height, Math.max(1, to - from), 2 * height);
      });
      this.surface.rectangles(bars, theme.faint, 0.5);
    });
    const [from, to] = trace.window;
    this.surface.lines([this.x(from), layout.top, this.x(from), layout.height, this.x(to), layout.top,
      this.x(to), layout.height], theme.accent, 1, 1, true);
  }

  private regionBoxes(): void {
    const { scene, trace, layout, theme, surface } = this;
    if (layout.laneHeight < 14) return;
    const height = Math.min(22, layout.laneHeight * 0.5);
    scene.lanes.forEach((number, place) => {
      const lane = trace.lanes[number];
      const regions = this.regions[number];
      const boxes: number[] = [];
      const [first, after] = scene.ranges[place];
      regionsWithin(regions, first, after, (i) => {
        const from = this.x(timeOf(lane, regions.enter[i], scene.share));
        const to = this.x(timeOf(lane, regions.leave[i], scene.share));
        if (to < layout.gutter || from > layout.width || to - from < 0.5) return;
        const inset = Math.min(height / 2 - 2, regions.depth[i] * 3);
        const left = Math.max(from, layout.gutter);
        const right = Math.min(to, layout.width);
        boxes.push(left, this.y(place) - height / 2 + inset, right - left, height - 2 * inset);
        const name = trace.meta.names[lane.nameOf[regions.enter[i]] ?? 0] ?? "";
        if (right - left > 7.5 * name.length + 12 && name !== "" && height > 14) {
          surface.text(name, { x: left + 6, y: this.y(place) - height / 2 - 7 }, theme.muted);
        }
      });
      surface.rectangles(boxes, theme.band, 0.8);
    });
  }

  // Each column of two pixels as high as it has events; the share that belongs to inverted
  // messages is red. Counted from all events, never from a sample.
  private density(): void {
    const { scene, trace, layout, theme } = this;
    const kColumn = 2;
    const columns = Math.floor((layout.width - layout.gutter) / kColumn);
    const step = span(scene.view) / columns;
    const rows = scene.lanes.map((number, place) => this.countColumns(trace.lanes[number], scene.ranges[place], columns, step));
    const most = rows.reduce((m, row) => row.all.reduce((a, b) => Math.max(a, b), m), 1);
    const half = layout.laneHeight * 0.4;
    const good: number[] = [];
    const bad: number[] = [];
    rows.forEach((row, place) => {
      const y = Math.round(this.y(place));
      const heights = row.all.map((n) => (n === 0 ? 0 : Math.max(1, Math.round(half * Math.sqrt(n / most)))));
      pushBars(good, heights, layout.gutter, kColumn, y);
      const reds = heights.map((height, column) =>
        (row.inverted[column] === 0 ? 0 : Math.max(1, Math.round(height * (row.inverted[column] / row.all[column])))));
      pushBars(bad, reds, layout.gutter, kColumn, y);
    });
    const opacity = scene.areMessagesDrawn ? 0.35 : 0.75;
    this.surface.rectangles(good, theme.event, opacity);
    this.surface.rectangles(bad, theme.inverted, opacity);
  }

  private countColumns(lane: Lane, range: [number, number], columns: number, step: number): { all: number[]; inverted: number[] } {
    const { view, share } = this.scene;
    const all = new Array<number>(columns).fill(0);
    const inverted = new Array<number>(columns).fill(0);
    const sums = share < 0.5 ? lane.invertedRecorded : lane.invertedCorrected;
    let before = range[0];
    for (let column = 0; column < columns && before < range[1]; ++column) {
      const end = view.from + step * (column + 1);
      const after = Math.min(range[1], firstFrom(lane, end, share, before));
      all[column] = after - before;
      inverted[column] = sums[after] - sums[before];
      before = after;
    }
    return { all, inverted };
  }

  private messages(): void {
    const { scene, trace, theme, surface } = this;
    const placeOf = new Int32Array(trace.lanes.length).fill(-1);
    scene.lanes.forEach((number, place) => { placeOf[number] = place; });
    const classes: number[][] = [[], [], [], []];
    for (const m of scene.drawn) {
      const send = sendTime(trace, m, scene.share);
      const receive = receiveTime(trace, m, scene.share);
      const state = stateOfDelay(receive - send, trace.messages.minimumDelay[m]);
      const isOfCollective = trace.messages.isCollective[m] === 1 && state === State.fine;
      classes[isOfCollective ? 3 : state].push(this.held(this.x(send)), this.y(placeOf[trace.messages.from[m]]),
        this.held(this.x(receive)), this.y(placeOf[trace.messages.to[m]]));
    }
    const count = scene.drawn.length;
    const opacity = count > 1000 ? 0.45 : count > 300 ? 0.65 : 0.9;
    const width = count > 600 ? 0.8 : 1.2;
    const [fine, fast, inverted, collective] = classes;
    surface.lines(collective, theme.collective, width, opacity * 0.8, count < 300);
    surface.lines(fine, theme.message, width, opacity);
    surface.lines(fast, theme.fast, width + 0.4, Math.max(opacity, 0.7));
    surface.lines(inverted, theme.inverted, width + 0.4, Math.max(opacity, 0.6));
    if (count > 400) return;
    this.arrowHeads(collective, theme.collective);
    this.arrowHeads(fine, theme.message);
    this.arrowHeads(fast, theme.fast);
    this.arrowHeads(inverted, theme.inverted);
  }

  private arrowHeads(lines: number[], color: string): void {
    for (let i = 0; i < lines.length; i += 4) {
      const [x1, y1, x2, y2] = lines.slice(i, i + 4);
      const length = Math.hypot(x2 - x1, y2 - y1);
      if (length < 12) continue;
      const ux = (x2 - x1) / length;
      const uy = (y2 - y1) / length;
      const base = { x: x2 - 9 * ux, y: y2 - 9 * uy };
      this.surface.triangle({ x: x2, y: y2 }, { x: base.x - 3.5 * uy, y: base.y + 3.5 * ux },
        { x: base.x + 3.5 * uy, y: base.y - 3.5 * ux }, color);
    }
  }

  private events(highlight: Set<number>): void {
    const { scene, trace, theme, layout, surface } = this;
    const dots: number[] = [];
    const found: number[] = [];
    scene.lanes.forEach((number, place) => {
      const lane = trace.lanes[number];
      const [first, after] = scene.ranges[place];
      for (let i = first; i < after; ++i) {
        const isFound = highlight.size > 0 && highlight.has(lane.nameOf[i] ?? 0);
        (isFound ? found : dots).push(this.x(timeOf(lane, i, scene.share)), this.y(place));
      }
    });
    const radius = Math.min(layout.laneHeight / 8, scene.events > 3000 ? 1.2 : scene.events > 500 ? 2 : 3);
    surface.dots(dots, radius, theme.event);
    surface.dots(found, radius + 2, theme.accent);
  }

  private mark(marked: Marked): void {
    const { scene, trace, theme, surface } = this;
    const place = scene.lanes.indexOf(marked.lane);
    if (marked.message !== null) {
      const m = marked.message;
      const from = scene.lanes.indexOf(trace.messages.from[m]);
      const to = scene.lanes.indexOf(trace.messages.to[m]);
      if (from >= 0 && to >= 0) {
        const line = [this.held(this.x(sendTime(trace, m, scene.share))), this.y(from),
          this.held(this.x(receiveTime(trace, m, scene.share))), this.y(to)];
        surface.lines(line, theme.accent, 3.5, 0.55);
        this.arrowHeads(line, theme.accent);
      }
    }
    if (place < 0) return;
    const x = this.x(timeOf(trace.lanes[marked.lane], marked.event, scene.share));
    surface.dots([x, this.y(place)], 5, theme.accent);
    surface.dots([x, this.y(place)], 2.5, theme.page);
  }
}
