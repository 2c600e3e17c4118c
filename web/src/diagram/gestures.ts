// What pointer, wheel and keys do to the diagram.

import type { Diagram, DiagramEvents } from "./diagram";
import { moved, span, zoomed, type View } from "./viewport";

const kPan = 0.15; // of the view, per key
const kZoom = 0.75;
const kSelect = 0.02; // of the view, per key
const kStill = 3; // pixels that a pointer may move in a click

interface At { x: number; y: number }

export class Gestures {
  private readonly pointers = new Map<number, At>();
  private dragged = 0;
  /** Where a selection began; null: dragging moves the view. */
  private selectFrom: number | null = null;

  constructor(private readonly diagram: Diagram, private readonly events: DiagramEvents) {
    const { canvas } = diagram;
    canvas.addEventListener("wheel", (event) => { this.onWheel(event); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { this.onDown(event); });
    canvas.addEventListener("pointermove", (event) => { this.onMove(event); });
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => { this.onUp(event); });
    }
    canvas.addEventListener("pointerleave", () => { this.events.onHover(null, 0, 0); });
    canvas.addEventListener("dblclick", (event) => {
      const at = this.place(event);
      if (!diagram.isInGutter(at.x)) diagram.show(zoomed(diagram.currentView, kZoom * kZoom, diagram.timeAt(at.x)));
    });
    canvas.addEventListener("keydown", (event) => { this.onKey(event); });
  }

  private place(event: MouseEvent): At {
    const box = this.diagram.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // Zooms with the wheel where the diagram has been clicked or Ctrl is held, so that the page can be
  // scrolled over it; sideways it pans.
  private onWheel(event: WheelEvent): void {
    const { diagram } = this;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!isSideways && !event.ctrlKey && document.activeElement !== diagram.canvas) return;
    event.preventDefault();
    const view = diagram.currentView;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (isSideways) {
      const delta = (event.deltaX || event.deltaY) * lines;
      diagram.show(moved(view, (delta / diagram.width) * span(view)));
      return;
    }
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.002)));
    diagram.zoom(factor, diagram.timeAt(this.place(event).x));
  }

  private onDown(event: PointerEvent): void {
    this.diagram.canvas.setPointerCapture(event.pointerId);
    const at = this.place(event);
    this.pointers.set(event.pointerId, at);
    this.dragged = 0;
    this.selectFrom = event.shiftKey && this.pointers.size === 1 ? this.diagram.timeAt(at.x) : null;
  }

  private onMove(event: PointerEvent): void {
    const { diagram } = this;
    const at = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      this.hover(at);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, at);
    this.dragged += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (other !== undefined) {
      const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
      diagram.show(zoomed(diagram.currentView, factor, diagram.timeAt(other.x)));
    } else if (this.dragged > kStill) {
      this.events.onHover(null, 0, 0);
      if (this.selectFrom !== null) diagram.selectRange(this.rangeTo(at), false);
      else diagram.show(moved(diagram.currentView, diagram.timeAt(before.x) - diagram.timeAt(at.x)));
    }
  }

  private hover(at: At): void {
    const { diagram } = this;
    const isFold = diagram.isInGutter(at.x) && diagram.foldableAt(at.y) !== null;
    diagram.canvas.style.cursor = isFold ? "pointer" : "";
    this.events.onHover(diagram.pickAt(at), at.x, at.y);
  }

  private rangeTo(at: At): View {
    const from = this.selectFrom ?? 0;
    const to = this.diagram.timeAt(at.x);
    return { from: Math.min(from, to), to: Math.max(from, to) };
  }

  private onUp(event: PointerEvent): void {
    const { diagram } = this;
    const at = this.place(event);
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.selectFrom !== null && this.dragged > kStill) diagram.selectRange(this.rangeTo(at));
    else if (this.dragged <= kStill && event.type === "pointerup") this.click(at);
    this.selectFrom = null;
  }

  private click(at: At): void {
    if (this.diagram.isInGutter(at.x)) this.diagram.toggleFoldAt(at.y);
    else this.diagram.select(this.diagram.pickAt(at));
  }

  // The selection grows or shrinks at its end; the first one begins in the middle.
  private extend(direction: 1 | -1): void {
    const view = this.diagram.currentView;
    const middle = (view.from + view.to) / 2;
    const range = this.diagram.selectedRange ?? { from: middle, to: middle };
    this.diagram.selectRange({ from: range.from, to: Math.max(range.from, range.to + direction * kSelect * span(view)) });
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { diagram } = this;
    const view = diagram.currentView;
    const pan = span(view) * kPan;
    const acts = new Map<string, () => void>([
      ["ArrowLeft", () => { if (event.shiftKey) this.extend(-1); else diagram.show(moved(view, -pan)); }],
      ["ArrowRight", () => { if (event.shiftKey) this.extend(1); else diagram.show(moved(view, pan)); }],
      ["+", () => { diagram.zoom(kZoom); }],
      ["=", () => { diagram.zoom(kZoom); }],
      ["-", () => { diagram.zoom(1 / kZoom); }],
      ["Home", () => { diagram.show(diagram.whole()); }],
      ["n", () => { diagram.goToInversion(1); }],
      ["p", () => { diagram.goToInversion(-1); }],
      ["l", () => { diagram.goToLargestChange(); }],
      ["b", () => { diagram.showBoth(); }],
      ["c", () => { diagram.animateTo(diagram.share < 0.5 ? 1 : 0); }],
      ["s", () => { diagram.selectRange(view); }],
      ["e", () => { diagram.fold(diagram.currentFilter.folded.size > 0 ? [] : diagram.foldable); }],
      ["Escape", () => {
        diagram.select(null);
        diagram.selectRange(null);
      }],
    ]);
    const act = acts.get(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}
