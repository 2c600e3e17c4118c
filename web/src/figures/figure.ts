// A figure with a caption, and buttons that save it. It can be drawn anew.

import { button, h, hasKeyboard } from "../dom";
import { whenThemeChanges } from "../theme";
import { Chart } from "./chart";
import type { Plot, Series } from "./plot";
import { saveButtons, svgText, type Table } from "./save";
import { drawPlot } from "./svg";

const kCloser = 0.5;

export class Figure {
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "figure" });
  private readonly print = h("div", { class: "print" });
  private readonly caption = h("figcaption");
  private readonly title = h("h3");
  private readonly zoom: HTMLElement;
  private chart: Chart | null = null;
  private svg: () => SVGSVGElement | null = () => null;
  private data: () => Table = () => [];

  /** `group`: plots of one group show the same stretch of x. */
  constructor(stem: string, private readonly group: string | null = null, ...above: HTMLElement[]) {
    this.zoom = h("span", { role: "group", "aria-label": "Zoom", class: "zoom", hidden: true },
      button("+", "Closer (key +)", () => { this.chart?.zoom(kCloser); }),
      button("−", "Wider (key −)", () => { this.chart?.zoom(1 / kCloser); }),
      button("all", "All of it (key Home, or a double click)", () => { this.chart?.reset(); }));
    const svg = (): string => {
      const drawing = this.svg();
      return drawing === null ? "" : svgText(drawing);
    };
    this.element = h("figure", {}, this.title, h("div", { class: "toolbar" }, ...above, this.zoom, saveButtons(stem, svg, () => this.data())),
      this.place, this.print, this.caption);
    whenThemeChanges(() => { this.chart?.recolor(); });
    // A canvas would be printed as a picture of the screen.
    addEventListener("beforeprint", () => {
      const drawing = this.chart === null ? null : this.svg();
      this.print.replaceChildren(...(drawing === null ? [] : [drawing]));
      this.element.classList.toggle("printed", drawing !== null);
    });
    addEventListener("afterprint", () => { this.print.replaceChildren(); });
  }

  show(drawing: SVGSVGElement, caption: string, data: () => Table): void {
    this.title.textContent = drawing.getAttribute("aria-label");
    this.svg = () => drawing;
    this.place.replaceChildren(drawing);
    this.caption.textContent = caption;
    this.data = data;
  }

  /** Without `data`, it is the values of the series. */
  plot(plot: Plot, caption: string, data: () => Table = () => tableOf(plot.series)): void {
    this.chart?.destroy();
    const chart = new Chart(plot, this.group);
    this.chart = chart;
    this.title.textContent = plot.title;
    this.svg = () => drawPlot(plot, chart.view);
    this.zoom.hidden = false;
    this.place.replaceChildren(chart.element);
    this.caption.textContent = caption;
    this.data = data;
  }
}

function tableOf(series: Series[]): Table {
  return [["series", "x", "y", "to"], ...series.flatMap((s) => s.x.map((x, i) => [s.label, x, s.y[i] ?? null, s.to?.[i] ?? null]))];
}

/** How plots are used, once for each section that has some. */
export function plotHint(): HTMLElement {
  return h("p", { class: "hint" }, "Plots: drag to zoom, double click for all; a click on a name below hides or shows it." + (hasKeyboard()
    ? " By keys, once a plot has the focus: ← → cursor, with Shift the view, + − zoom, ↑ ↓ zoom the values, Home all." : ""));
}
