// The space-time diagram: state, drawing, and what pointer and keys do to it.

import { delayOf, extentOf, sendTime, timeOf, type Trace } from "../data/trace";
import { h } from "../dom";
import { movesLittle, readTheme, whenThemeChanges, type Theme } from "../theme";
import { largestChange, nextInversion } from "./jumps";
import { layoutFor, Painter, type Layout, type Marked } from "./paint";
import { pick } from "./pick";
import { regionsOf, type Regions } from "./regions";
import { findScene, type Filter, type Scene } from "./scene";
import { CanvasSurface, SvgSurface, type Surface } from "./surface";
import { around, limited, moved, span, zoomed, type View } from "./viewport";

const kPan = 0.15; // of the view, per key
const kZoom = 0.75;
const kAnimationMs = 700;

export interface DiagramEvents {
  onScene(scene: Scene): void;
  onHover(marked: Marked | null, x: number, y: number): void;
  onSelect(marked: Marked | null): void;
  onShare(share: number): void;
}

export class Diagram {
  readonly canvas = h("canvas", { tabindex: 0, role: "application", "aria-label":
    "Space-time diagram. Arrow keys move, plus and minus zoom, Home shows all, n and p go to inverted " +
    "messages, c switches between recorded and corrected times." });
  readonly trace: Trace;
  private readonly regions: Regions[];
  private theme: Theme = readTheme();
  private layout: Layout;
  private scene: Scene;
  private filter: Filter;
  private highlight = new Set<number>();
  private shareNow = 1;
  private view: View;
  private selected: Marked | null = null;
  private frame = 0;
  private animation = 0;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = 0;

  constructor(trace: Trace, private readonly events: DiagramEvents) {
    this.trace = trace;
    this.regions = trace.lanes.map(regionsOf);
    this.filter = { lanes: trace.lanes.map((_, i) => i), show: "all", pair: null };
    this.layout = layoutFor(1000, trace.lanes.length, 10);
    this.view = this.beginning();
    this.scene = findScene(trace, this.view, 1, this.filter);
    this.listen();
    new ResizeObserver(() => { this.redraw(); }).observe(this.canvas);
    whenThemeChanges(() => { this.theme = readTheme(); this.redraw(); });
  }

  get share(): number { return this.shareNow; }
  get currentView(): View { return this.view; }
  get currentScene(): Scene { return this.scene; }
  get selection(): Marked | null { return this.selected; }
  get currentFilter(): Filter { return this.filter; }

  /** All events shown, with a little room. */
  whole(): View {
    const [from, to] = extentOf(this.trace, this.shareNow);
    const room = (to - from) * 0.015;
    return { from: from - room, to: to + room };
  }

  // The window of the report, where it has one.
  private beginning(): View {
    const { window } = this.trace;
    if (window === null) return this.whole();
    const room = (window[1] - window[0]) * 0.05;
    return { from: window[0] - room, to: window[1] + room };
  }

  show(view: View): void {
    const [from0, to0] = extentOf(this.trace, 0);
    const [from1, to1] = extentOf(this.trace, 1);
    const extent = { from: Math.min(from0, from1), to: Math.max(to0, to1) };
    this.view = limited(view, extent);
    this.redraw();
  }

  setFilter(change: Partial<Filter>): void {
    this.filter = { ...this.filter, ...change };
    this.redraw();
  }

  setHighlight(names: Set<number>): void {
    this.highlight = names;
    this.redraw();
  }

  select(marked: Marked | null): void {
    this.selected = marked;
    this.events.onSelect(marked);
    this.redraw();
  }

  /** 0: recorded, 1: corrected. What is selected, or else the whole trace, stays in place. */
  setShare(share: number): void {
    cancelAnimationFrame(this.animation);
    this.moveShare(share);
  }

  animateTo(target: number): void {
    cancelAnimationFrame(this.animation);
    if (movesLittle()) { this.moveShare(target); return; }
    const start = performance.now();
    const from = this.shareNow;
    const step = (now: number): void => {
      const done = Math.min(1, (now - start) / kAnimationMs);
      const eased = done * done * (3 - 2 * done);
      this.moveShare(done === 1 ? target : from + (target - from) * eased);
      if (done < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }

  private moveShare(share: number): void {
    const whole = this.whole();
    const isWhole = Math.abs(whole.from - this.view.from) + Math.abs(whole.to - this.view.to) < 0.02 * span(whole);
    const before = this.anchor();
    this.shareNow = share;
    if (isWhole) this.view = this.whole();
    else this.view = moved(this.view, this.anchor() - before);
    this.events.onShare(share);
    this.redraw();
  }

  private anchor(): number {
    const { selected } = this;
    return selected === null ? 0 : timeOf(this.trace.lanes[selected.lane], selected.event, this.shareNow);
  }

  goTo(time: number): void {
    this.show(around(time, Math.min(span(this.view), this.trace.duration / 20)));
  }

  /** Shows an event, or a message, with some of what is around it. */
  goToMarked(marked: Marked): void {
    this.selected = marked;
    this.events.onSelect(marked);
    const { message } = marked;
    if (message === null) {
      this.goTo(timeOf(this.trace.lanes[marked.lane], marked.event, this.shareNow));
      return;
    }
    const send = sendTime(this.trace, message, this.shareNow);
    const delay = delayOf(this.trace, message, this.shareNow);
    const length = Math.max(Math.abs(delay) * 6, Math.abs(delayOf(this.trace, message, 1)) * 12, 200);
    this.show(around(send + delay / 2, length));
  }

  goToInversion(direction: 1 | -1): boolean {
    const middle = (this.view.from + this.view.to) / 2;
    const m = nextInversion(this.trace, this.selected?.message ?? null, middle, direction);
    if (m === null) return false;
    this.goToMarked({ lane: this.trace.messages.to[m], event: this.trace.messages.receive[m], message: m });
    return true;
  }

  goToLargestChange(): boolean {
    const marked = largestChange(this.trace);
    if (marked !== null) this.goToMarked(marked);
    return marked !== null;
  }

  toSvg(): string {
    const surface = new SvgSurface(this.layout.width, this.layout.height, this.theme.page);
    this.paintOn(surface);
    return surface.toString();
  }

  redraw(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  /** Draws at once; returns how long that took, in ms. */
  drawNow(): number {
    const start = performance.now();
    const width = this.canvas.parentElement?.clientWidth ?? 1000;
    this.layout = layoutFor(width, this.filter.lanes.length, this.longestName());
    const scale = Math.min(3, devicePixelRatio || 1);
    const pixels = { width: Math.round(width * scale), height: Math.round(this.layout.height * scale) };
    if (this.canvas.width !== pixels.width || this.canvas.height !== pixels.height) {
      this.canvas.width = pixels.width;
      this.canvas.height = pixels.height;
      this.canvas.style.height = `${this.layout.height}px`;
    }
    const context = this.canvas.getContext("2d");
    if (context === null) return 0;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, this.layout.height);
    this.scene = findScene(this.trace, this.view, this.shareNow, this.filter);
    this.paintOn(new CanvasSurface(context));
    this.events.onScene(this.scene);
    return performance.now() - start;
  }

  private longestName(): number {
    const { lanes, clockNames } = this.trace;
    return this.filter.lanes.reduce((most, i) => {
      const clock = clockNames[lanes[i].clock] ?? "";
      return Math.max(most, lanes[i].title.length, clock === lanes[i].name ? 0 : clock.length + 6);
    }, 0);
  }

  private paintOn(surface: Surface): void {
    new Painter(surface, this.trace, this.scene, this.layout, this.theme, this.regions)
      .paint(this.selected, this.highlight);
  }

  private timeAt(x: number): number {
    const { layout, view } = this;
    return view.from + ((x - layout.gutter) / (layout.width - layout.gutter)) * span(view);
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => { this.onWheel(event); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { this.onDown(event); });
    canvas.addEventListener("pointermove", (event) => { this.onMove(event); });
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => { this.onUp(event); });
    }
    canvas.addEventListener("pointerleave", () => { this.events.onHover(null, 0, 0); });
    canvas.addEventListener("dblclick", (event) => {
      this.show(zoomed(this.view, kZoom * kZoom, this.timeAt(this.place(event).x)));
    });
    canvas.addEventListener("keydown", (event) => { this.onKey(event); });
  }

  // Zooms with the wheel where the diagram has been clicked or Ctrl is held, so that the page can be
  // scrolled over it; sideways it pans.
  private onWheel(event: WheelEvent): void {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!isSideways && !event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (isSideways) {
      const delta = (event.deltaX || event.deltaY) * lines;
      this.show(moved(this.view, (delta / this.layout.width) * span(this.view)));
      return;
    }
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.002)));
    this.show(zoomed(this.view, factor, this.timeAt(this.place(event).x)));
  }

  private onDown(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
    this.dragged = 0;
  }

  private onMove(event: PointerEvent): void {
    const at = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      this.events.onHover(pick(this.trace, this.scene, this.layout, at.x, at.y), at.x, at.y);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, at);
    this.dragged += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (other !== undefined) {
      const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
      this.show(zoomed(this.view, factor, this.timeAt(other.x)));
    } else if (this.dragged > 3) {
      this.events.onHover(null, 0, 0);
      this.show(moved(this.view, this.timeAt(before.x) - this.timeAt(at.x)));
    }
  }

  private onUp(event: PointerEvent): void {
    const at = this.place(event);
    if (this.pointers.delete(event.pointerId) && this.dragged <= 3 && event.type === "pointerup") {
      this.select(pick(this.trace, this.scene, this.layout, at.x, at.y));
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (this.view.from + this.view.to) / 2;
    const pan = span(this.view) * kPan;
    const acts = new Map<string, () => void>([
      ["ArrowLeft", () => { this.show(moved(this.view, -pan)); }],
      ["ArrowRight", () => { this.show(moved(this.view, pan)); }],
      ["+", () => { this.show(zoomed(this.view, kZoom, middle)); }],
      ["=", () => { this.show(zoomed(this.view, kZoom, middle)); }],
      ["-", () => { this.show(zoomed(this.view, 1 / kZoom, middle)); }],
      ["Home", () => { this.show(this.whole()); }],
      ["n", () => { this.goToInversion(1); }],
      ["p", () => { this.goToInversion(-1); }],
      ["l", () => { this.goToLargestChange(); }],
      ["c", () => { this.animateTo(this.shareNow < 0.5 ? 1 : 0); }],
      ["Escape", () => { this.select(null); }],
    ]);
    const act = acts.get(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}
