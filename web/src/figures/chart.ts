// A plot on the page, drawn by uPlot: values under the cursor, zoom, series to switch off; by mouse,
// keys or buttons. Plots of one group share the cursor and the range of x.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "../dom";
import { readTheme } from "../theme";
import type { Axis } from "./axis";
import { optionsOf } from "./options";
import { heldIn, homeOf, kHeight, rangeOf, type Plot, type PlotView, type Range } from "./plot";

const kZoom = 0.6;
const kMove = 0.15; // of the range, per key
const kStep = 0.01; // of the width, per key
const kKeys = "Arrow keys left and right move the cursor, with Shift what is shown; plus and minus zoom, up and down zoom the values, Home shows all.";

function extentOf(axis: Axis, lists: (number | null)[][]): Range {
  const [low, high] = rangeOf(...lists, [axis.low, axis.high]) ?? [axis.low, axis.high];
  return { low, high };
}

export class Chart {
  readonly element: HTMLElement;
  private readonly stage: HTMLElement;
  private readonly readout = h("div", { class: "readout" });
  private readonly place = h("td", { class: "u-value" });
  // The first frame of the page does not wait for plots, which are further down.
  private readonly observer = new ResizeObserver(() => {
    if (this.drawing === null) requestAnimationFrame(() => setTimeout(() => { this.fit(); }));
    else this.fit();
  });
  private readonly extent: { x: Range; y: Range };
  /** Absent until it is known how wide the page is. */
  private drawing: uPlot | null = null;
  private theme = readTheme();

  constructor(private readonly plot: Plot, private readonly group: string | null) {
    this.stage = h("div", { class: "stage", tabindex: 0, role: "application", "aria-label": `${plot.title}. ${kKeys}`,
      style: `min-height:${plot.height ?? kHeight}px`,
      keydown: (event) => { this.onKey(event as KeyboardEvent); },
      focus: () => { this.readout.setAttribute("aria-live", "polite"); },
      blur: () => { this.readout.removeAttribute("aria-live"); } });
    this.element = h("div", { class: "chart" }, this.stage, this.readout);
    this.extent = { x: extentOf(plot.x, plot.series.map((s) => s.x)), y: extentOf(plot.y, plot.series.flatMap((s) => [s.y, s.to ?? []])) };
    this.observer.observe(this.stage);
  }

  destroy(): void {
    this.observer.disconnect();
    this.drawing?.destroy();
  }

  get view(): PlotView {
    const { drawing } = this;
    if (drawing === null) return homeOf(this.plot);
    const range = (scale: string, axis: Axis): Range => ({ low: drawing.scales[scale].min ?? axis.low, high: drawing.scales[scale].max ?? axis.high });
    const hidden = this.plot.series.flatMap((_, i) => (drawing.series[i + 1].show === false ? [i] : []));
    return { x: range("x", this.plot.x), y: range("y", this.plot.y), hidden: new Set(hidden) };
  }

  /** With the colors that there are now. */
  recolor(): void {
    this.theme = readTheme();
    this.drawing?.redraw();
  }

  /** All of the plot, as it was at first. */
  reset(): void {
    this.show(homeOf(this.plot));
  }

  /** Below 1: closer to the cursor, or to the middle. */
  zoom(factor: number): void {
    const { drawing, view: { x } } = this;
    const left = drawing?.cursor.left ?? -1;
    const at = drawing === null || left < 0 ? (x.low + x.high) / 2 : drawing.posToVal(left, "x");
    this.show({ x: { low: at - (at - x.low) * factor, high: at + (x.high - at) * factor } });
  }

  private zoomValues(factor: number): void {
    const { y } = this.view;
    const [middle, half] = [(y.low + y.high) / 2, ((y.high - y.low) / 2) * factor];
    this.show({ y: { low: middle - half, high: middle + half } });
  }

  private move(direction: 1 | -1): void {
    const { x } = this.view;
    const by = direction * kMove * (x.high - x.low);
    this.show({ x: { low: x.low + by, high: x.high + by } });
  }

  private show(view: { x?: Range; y?: Range }): void {
    const { drawing, extent, plot } = this;
    drawing?.batch(() => {
      for (const scale of ["x", "y"] as const) {
        const range = view[scale];
        if (range === undefined) continue;
        const { low, high } = heldIn(range, extent[scale], plot[scale].least);
        drawing.setScale(scale, { min: low, max: high });
      }
    });
  }

  private get others(): uPlot[] {
    return this.group === null ? [] : uPlot.sync(this.group).plots.filter((other) => other !== this.drawing);
  }

  private fit(): void {
    const width = this.stage.isConnected ? this.stage.clientWidth : 0;
    if (width === 0 || this.plot.series.length === 0) return;
    if (this.drawing !== null) {
      if (this.drawing.width !== width) this.drawing.setSize({ width, height: this.drawing.height });
      return;
    }
    const data = [null, ...this.plot.series.map((series) => [series.x, series.y])] as unknown as uPlot.AlignedData;
    const before = this.others.at(0);
    this.drawing = new uPlot(optionsOf(this.plot, width, this.group, (legend) => { this.mount(legend as HTMLTableElement); }, {
      theme: () => this.theme,
      reset: () => { this.reset(); },
      select: (u) => { this.select(u); },
      scaled: (u, scale) => { this.handOn(u, scale); },
      pointed: (u) => { this.tell(u); },
      toggled: () => { this.showToggles(); },
    }), data, this.stage);
    this.completeLegend();
    // It joins others that have been zoomed already.
    if (before !== undefined) this.drawing.setScale("x", { min: before.scales.x.min ?? this.plot.x.low, max: before.scales.x.max ?? this.plot.x.high });
  }

  private mount(legend: HTMLTableElement): void {
    this.readout.replaceChildren(legend);
  }

  // What uPlot's legend lacks: where the cursor is, and keys for its switches.
  private completeLegend(): void {
    const rows = [...this.readout.querySelectorAll("tr")];
    for (const row of rows) {
      const head = row.querySelector("th");
      head?.setAttribute("tabindex", "0");
      head?.setAttribute("role", "switch");
      head?.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        head.click();
      });
    }
    this.readout.querySelector("tbody")?.prepend(h("tr", { class: "u-series place" }, h("th", {}, this.plot.x.label), this.place));
    this.showToggles();
  }

  private showToggles(): void {
    this.readout.querySelectorAll("tr.u-series:not(.place)").forEach((row) => {
      row.querySelector("th")?.setAttribute("aria-checked", String(!row.classList.contains("u-off")));
    });
  }

  private tell(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    this.place.textContent = left < 0 ? "" : this.plot.x.text(Math.round(u.posToVal(left, "x")));
    u.setLegend({}, false);
  }

  private select(u: uPlot): void {
    const { left, top, width, height } = u.select;
    if (width < 2 || height < 2) return;
    const along = { low: u.posToVal(left, "x"), high: u.posToVal(left + width, "x") };
    const isWhole = height >= u.over.clientHeight;
    this.show(isWhole ? { x: along } : { x: along, y: { low: u.posToVal(top + height, "y"), high: u.posToVal(top, "y") } });
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private handOn(u: uPlot, scale: string): void {
    if (scale !== "x" || u.status === 0) return;
    const { min, max } = u.scales.x;
    if (min === undefined || max === undefined) return;
    for (const other of this.others) {
      if (other.scales.x.min !== min || other.scales.x.max !== max) other.setScale("x", { min, max });
    }
  }

  private moveCursor(direction: 1 | -1): void {
    const { drawing } = this;
    if (drawing === null) return;
    const width = drawing.over.clientWidth;
    const left = drawing.cursor.left ?? -1;
    const next = left < 0 ? width / 2 : Math.min(Math.max(left + direction * kStep * width, 0), width);
    this.pointAt(drawing.posToVal(next, "x"));
  }

  private pointAt(value: number | null): void {
    for (const u of this.drawing === null ? [] : [this.drawing, ...this.others]) {
      u.setCursor({ left: value === null ? -10 : u.valToPos(value, "x"), top: value === null ? -10 : u.over.clientHeight / 2 });
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const sideways = (direction: 1 | -1): void => {
      if (event.shiftKey) this.move(direction);
      else this.moveCursor(direction);
    };
    const acts = new Map<string, () => void>([
      ["ArrowLeft", () => { sideways(-1); }], ["ArrowRight", () => { sideways(1); }],
      ["+", () => { this.zoom(kZoom); }], ["=", () => { this.zoom(kZoom); }], ["-", () => { this.zoom(1 / kZoom); }],
      ["ArrowUp", () => { this.zoomValues(kZoom); }], ["ArrowDown", () => { this.zoomValues(1 / kZoom); }],
      ["Home", () => { this.reset(); }], ["Escape", () => { this.pointAt(null); }],
    ]);
    const act = acts.get(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}
