// The space-time diagram: what it shows, and drawing it. Pointer and keys: gestures.ts.

import { extentOf, timeOf, type Trace } from "../data/trace";
import { h, widthOnPage } from "../dom";
import { movesLittle, readTheme, whenThemeChanges, type Theme } from "../theme";
import type { Marked } from "./arrows";
import { kTints, type Tints } from "./boxes";
import { Frame, kBoldLetter, kFoldWidth, kLetter, layoutsFor, type Layout } from "./frame";
import { Gestures } from "./gestures";
import { exampleOf, largestChange, nextInversion, viewAround } from "./jumps";
import { paint } from "./paint";
import { pick, rowAt } from "./pick";
import { longestRegions, regionsOf, type Level } from "./regions";
import { foldableClocks, rowsOf, type Row } from "./rows";
import { asRecorded, findScene, limitInk, type Filter, type Scene } from "./scene";
import { CanvasSurface, fitCanvas, SvgSurface, type Surface } from "./surface";
import { around, limited, moved, span, zoomed, type View } from "./viewport";

const kAnimationMs = 700;
// More processes than this are folded at first, where clocks have several.
const kMostUnfolded = 40;
const kRehearsed = [0, 0.5, 1, 1];

export interface DiagramEvents {
  onScene(scene: Scene): void;
  onHover(marked: Marked | null, x: number, y: number): void;
  onSelect(marked: Marked | null): void;
  onShare(share: number): void;
  /** The time that was selected, at the share of the slider; `isFinal`: nobody is dragging. */
  onRange(range: View | null, isFinal: boolean): void;
  onFold(): void;
}

export class Diagram {
  readonly canvas = h("canvas", { tabindex: 0, role: "application", "aria-label":
    "Space-time diagram. Arrow keys move, with Shift they select a time, s selects what is in view; plus and minus zoom, " +
    "Home shows all, n and p go to inverted messages, c switches between recorded and corrected times, b shows both, e folds " +
    "the processes of clocks." });
  readonly trace: Trace;
  /** By lane. */
  readonly regions: Level[][];
  readonly tints: Tints;
  /** Clocks of several processes. */
  readonly foldable: number[];
  private theme: Theme = readTheme();
  /** The event that the logical clock moved furthest; null: none. */
  readonly largestChange: Marked | null;
  /** The message that the page opens with. */
  readonly example: number | null;
  // One, or that of recorded times above that of corrected ones. The last is what pointer and view belong to.
  private layouts: Layout[];
  private scenes: Scene[];
  private filter: Filter;
  private rows: Row[];
  private range: View | null = null;
  private readonly surface: CanvasSurface | null;
  private highlight = new Set<number>();
  private shareNow = 1;
  private showsBoth = true;
  private timesOfDay = false;
  private view: View;
  private selected: Marked | null;
  private hasJumped = false;
  private frame = 0;
  // Pixels; reading it from the page for each frame would have that laid out each time.
  private pageWidth = widthOnPage("diagram");
  private animation = 0;

  constructor(trace: Trace, private readonly events: DiagramEvents) {
    this.trace = trace;
    this.regions = trace.lanes.map(regionsOf);
    const tinted = longestRegions(trace, this.regions, kTints.length);
    this.tints = new Map(tinted.map((name, i) => [name, kTints[i]]));
    this.foldable = foldableClocks(trace);
    const folded = new Set(trace.lanes.length > kMostUnfolded ? this.foldable : []);
    this.filter = { lanes: trace.lanes.map((_, i) => i), folded, show: "all", pair: null };
    this.rows = rowsOf(trace, this.filter.lanes, folded);
    this.layouts = this.layoutsNow();
    this.example = exampleOf(trace);
    this.largestChange = largestChange(trace);
    this.selected = this.example === null ? null : this.receiptOf(this.example);
    this.view = this.beginning();
    this.scenes = this.scenesNow();
    const context = this.canvas.getContext("2d", { alpha: false });
    this.surface = context === null ? null : new CanvasSurface(context);
    new Gestures(this, events);
    new ResizeObserver(([entry]) => {
      this.pageWidth = Math.floor(entry.contentRect.width);
      this.redraw();
    }).observe(this.canvas);
    this.rehearse();
    whenThemeChanges(() => { this.theme = readTheme(); this.redraw(); });
  }

  get share(): number { return this.shareNow; }
  get currentView(): View { return this.view; }
  get currentScene(): Scene { return this.scenes[this.scenes.length - 1]; }
  get isBoth(): boolean { return this.showsBoth; }
  private get layout(): Layout { return this.layouts[this.layouts.length - 1]; }
  get selection(): Marked | null { return this.selected; }
  get currentFilter(): Filter { return this.filter; }
  get selectedRange(): View | null { return this.range; }

  /** All events shown, with a little room. */
  whole(): View {
    const [from, to] = extentOf(this.trace, this.shareNow);
    const room = (to - from) * 0.015;
    return { from: from - room, to: to + room };
  }

  private receiptOf(message: number): Marked {
    const { to, receive } = this.trace.messages;
    return { lane: to[message], event: receive[message], message };
  }

  // A message and its neighbours; without messages, the window of the report, where it has one.
  private beginning(): View {
    const { window } = this.trace;
    if (this.example !== null) return viewAround(this.trace, this.example);
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
    this.rows = rowsOf(this.trace, this.filter.lanes, this.filter.folded);
    this.redraw();
    if (this.range !== null) this.events.onRange(this.range, true);
  }

  /** Shows the processes of these clocks in one row each, and all others in their own. */
  fold(clocks: Iterable<number>): void {
    this.setFilter({ folded: new Set(clocks) });
    this.events.onFold();
  }

  /** Folds or unfolds the clock of the row at this height; false: there is nothing to fold. */
  toggleFoldAt(y: number): boolean {
    const clock = this.foldableAt(y);
    if (clock === null) return false;
    const folded = new Set(this.filter.folded);
    if (!folded.delete(clock)) folded.add(clock);
    this.fold(folded);
    return true;
  }

  foldableAt(y: number): number | null {
    const place = rowAt(this.currentScene, this.layouts[this.pictureAt(y)], y);
    const row = place === null ? undefined : this.rows.at(place);
    return row === undefined || row.fold === "none" ? null : row.clock;
  }

  /** Selects a range of time, at the share of the slider, to the nanosecond. */
  selectRange(range: View | null, isFinal = true): void {
    this.range = range === null ? null : { from: Math.round(range.from), to: Math.round(range.to) };
    this.events.onRange(this.range, isFinal);
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

  /** Recorded times above corrected ones, of the same events. */
  showBoth(): void {
    if (this.showsBoth) return;
    this.setShare(1);
    this.showsBoth = true;
    this.events.onShare(1);
    this.redraw();
  }

  animateTo(target: number): void {
    cancelAnimationFrame(this.animation);
    if (movesLittle() || this.showsBoth) { this.moveShare(target); return; }
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
    if (share !== this.shareNow && this.range !== null) this.selectRange(null);
    const [above] = this.scenes;
    this.shareNow = share;
    if (isWhole) this.view = this.whole();
    else if (this.showsBoth && share === 0) this.view = above.view;
    else this.view = moved(this.view, this.anchor() - before);
    this.showsBoth = false;
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
    this.show(viewAround(this.trace, message, this.shareNow));
  }

  /** Shows what the page opened with. */
  goToExample(): void {
    this.showBoth();
    if (this.example !== null) this.goToMarked(this.receiptOf(this.example));
  }

  goToInversion(direction: 1 | -1): boolean {
    const current = this.selected?.message ?? null;
    const m = nextInversion(this.trace, current === this.example && !this.hasJumped ? null : current, direction);
    if (m === null) return false;
    this.hasJumped = true;
    this.goToMarked(this.receiptOf(m));
    return true;
  }

  goToLargestChange(): void {
    if (this.largestChange !== null) this.goToMarked(this.largestChange);
  }

  /** Stretches the view around what is selected, where that is to be seen, else around `otherwise`. */
  zoom(factor: number, otherwise: number = (this.view.from + this.view.to) / 2): void {
    const at = this.selected === null ? otherwise : timeOf(this.trace.lanes[this.selected.lane], this.selected.event, this.shareNow);
    this.show(zoomed(this.view, factor, at < this.view.from || at > this.view.to ? otherwise : at));
  }

  /** Whether the axis has times of day instead of seconds since the first event. */
  set showsTimesOfDay(is: boolean) {
    this.timesOfDay = is;
    this.redraw();
  }
  get showsTimesOfDay(): boolean { return this.timesOfDay; }

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
    this.draw();
    this.events.onScene(this.currentScene);
    return performance.now() - start;
  }

  private draw(): void {
    const width = this.pageWidth;
    this.layouts = this.layoutsNow();
    const scale = fitCanvas(this.canvas, width, this.layout.height);
    const context = this.canvas.getContext("2d");
    if (context === null || this.surface === null) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.theme.page;
    context.fillRect(0, 0, width, this.layout.height);
    this.scenes = this.scenesNow();
    this.paintOn(this.surface);
  }

  private layoutsNow(): Layout[] {
    const fold = this.rows.some((row) => row.fold !== "none") ? kFoldWidth : 0;
    return layoutsFor(this.showsBoth ? 2 : 1, this.pageWidth, this.rows.length, this.longestName(), fold);
  }

  private scenesNow(): Scene[] {
    const scene = findScene(this.trace, this.view, this.shareNow, this.filter, this.rows);
    const scenes = this.showsBoth ? [asRecorded(this.trace, scene), scene] : [scene];
    for (const one of scenes) limitInk(this.trace, one, this.layout.width - this.layout.gutter, this.layout.rowHeight);
    return scenes;
  }

  // What frames need is compiled and reserved while the page is loading: else the first ones would
  // take several times as long as others.
  private rehearse(): void {
    for (const share of kRehearsed) {
      this.shareNow = share;
      this.showsBoth = false;
      this.draw();
    }
    this.showsBoth = true;
  }

  private longestName(): number {
    return this.rows.reduce((most, row) => Math.max(most, row.title.length * kBoldLetter, row.below.length * kLetter), 0);
  }

  private paintOn(surface: Surface): void {
    const origin = this.timesOfDay ? this.trace.origin : null;
    this.scenes.forEach((scene, i) => {
      const isAbove = i + 1 < this.scenes.length;
      paint(new Frame(surface, this.trace, scene, this.layouts[i], this.theme), this.regions, this.tints, {
        marked: this.selected, highlight: this.highlight, range: isAbove ? null : this.range, origin,
        title: this.showsBoth ? (isAbove ? "recorded" : "corrected") : "" });
    });
  }

  // Above: the recorded times.
  private pictureAt(y: number): number {
    return this.layouts.length > 1 && y < this.layouts[0].height ? 0 : this.layouts.length - 1;
  }

  pickAt(at: { x: number; y: number }): Marked | null {
    const picture = this.pictureAt(at.y);
    return pick(this.trace, this.scenes[picture], this.layouts[picture], at.x, at.y);
  }

  isInGutter(x: number): boolean {
    return x < this.layout.gutter;
  }

  get width(): number { return this.layout.width; }
  get gutter(): number { return this.layout.gutter; }

  timeAt(x: number): number {
    const { layout, view } = this;
    return view.from + ((x - layout.gutter) / (layout.width - layout.gutter)) * span(view);
  }
}
