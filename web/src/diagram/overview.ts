// A strip above the diagram: how many events the whole trace has where, what of it is recorded as inverted, and which
// part of it the diagram shows. Dragging in it moves the diagram.

import type { Trace } from "../data/trace";
import { h } from "../dom";
import { readTheme, whenThemeChanges } from "../theme";
import { countColumns } from "./density";
import type { Diagram } from "./diagram";
import { fitCanvas } from "./surface";
import { around, span } from "./viewport";

const kHeight = 30;
const kColumn = 2;
const kNarrowest = 4;

interface Columns { all: Uint32Array; inverted: Uint32Array; most: number }

/** By corrected times; events of messages that were inverted as recorded. */
function columnsOf(trace: Trace, columns: number): Columns {
  const all = new Uint32Array(columns);
  const inverted = new Uint32Array(columns);
  for (const lane of trace.lanes) {
    countColumns(lane, { first: 0, after: lane.corrected.length }, 0, (trace.duration + 1) / columns, 1, all, inverted, lane.invertedRecorded);
    // What the report left out.
    lane.count?.forEach((n, part) => {
      const column = Math.floor((part / (lane.count?.length ?? 1)) * columns);
      all[column] = Math.max(all[column], n);
    });
  }
  return { all, inverted, most: all.reduce((a, b) => Math.max(a, b), 1) };
}

export class Overview {
  // Whoever uses keys moves the diagram itself.
  readonly canvas = h("canvas", { class: "overview", "aria-hidden": "true", title: "The whole trace, and the part shown below" });
  private theme = readTheme();
  private columns: Columns | null = null;

  constructor(private readonly diagram: Diagram) {
    const { canvas } = this;
    whenThemeChanges(() => { this.theme = readTheme(); this.draw(); });
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); this.move(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons > 0) this.move(event); });
  }

  private move(event: PointerEvent): void {
    const { diagram } = this;
    const x = event.clientX - this.canvas.getBoundingClientRect().left - diagram.gutter;
    const at = (x / (diagram.width - diagram.gutter)) * diagram.trace.duration;
    diagram.show(around(at, span(diagram.currentView)));
  }

  /** Hidden where the diagram shows everything, or other times. */
  draw(): void {
    const { diagram, theme } = this;
    const { width, gutter, currentView: view } = diagram;
    const { duration } = diagram.trace;
    this.canvas.style.visibility = diagram.share === 1 && span(view) < duration ? "" : "hidden";
    const scale = fitCanvas(this.canvas, width, kHeight);
    const context = this.canvas.getContext("2d");
    if (context === null || width <= gutter) return;
    const count = Math.max(1, Math.floor((width - gutter) / kColumn));
    if (this.columns?.all.length !== count) this.columns = columnsOf(diagram.trace, count);
    const { all, inverted, most } = this.columns;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, kHeight);
    all.forEach((n, column) => {
      if (n === 0) return;
      const height = Math.max(1, Math.sqrt(n / most) * (kHeight - 6));
      const red = inverted[column] === 0 ? 0 : Math.max(1, height * (inverted[column] / n));
      context.fillStyle = theme.lane;
      context.fillRect(gutter + column * kColumn, kHeight - 2 - height, kColumn, height);
      context.fillStyle = theme.inverted;
      context.fillRect(gutter + column * kColumn, kHeight - 2 - red, kColumn, red);
    });
    const x = (time: number): number => gutter + (Math.min(Math.max(time, 0), duration) / duration) * (width - gutter);
    const length = Math.max(kNarrowest, x(view.to) - x(view.from));
    context.strokeStyle = theme.accent;
    context.lineWidth = 2;
    context.strokeRect(Math.min(x(view.from), width - length) + 1, 1, length - 2, kHeight - 2);
  }
}
