// What every part of the diagram is drawn with: the scene, where things are, and on what.

import type { Trace } from "../data/trace";
import type { Theme } from "../theme";
import type { Scene } from "./scene";
import type { Surface } from "./surface";
import { span } from "./viewport";

export interface Layout {
  width: number;
  /** Where the rows end. */
  height: number;
  /** Left of the rows, for names. */
  gutter: number;
  top: number;
  rowHeight: number;
}

const kAxis = 34;
const kShortestGutter = 84; // "corrected"
/** In the gutter, left of the names of rows that can be folded. */
export const kFoldWidth = 16;

/** Letters are taken to be this wide. */
export const kLetter = 6.8;
export const kBoldLetter = 8;

/** The layouts of so many pictures with the same rows, one below the other. `longest`: the width of the longest name
 * of a row; `fold`: that of what folds rows. */
export function layoutsFor(pictures: number, width: number, rows: number, longest: number, fold: number): Layout[] {
  // Up to 44 rows have at least 20 pixels each, more of them as little as names take.
  const all = Math.max(1, rows) * pictures;
  const rowHeight = Math.min(96, Math.max(14, Math.min(20, 880 / all), (pictures > 1 ? 400 : 520) / all));
  const gutter = Math.round(Math.min(Math.max(kShortestGutter, longest + 18 + fold), 220, width * 0.25));
  const height = Math.ceil(kAxis + rowHeight * rows + 8);
  return Array.from({ length: pictures }, (_, i) => ({ width, rowHeight, gutter, top: kAxis + i * height, height: (i + 1) * height }));
}

export class Frame {
  private readonly perTime: number;
  constructor(readonly surface: Surface, readonly trace: Trace, readonly scene: Scene, readonly layout: Layout, readonly theme: Theme) {
    this.perTime = (layout.width - layout.gutter) / span(scene.view);
  }

  x(time: number): number {
    return this.layout.gutter + (time - this.scene.view.from) * this.perTime;
  }

  y(row: number): number {
    return this.layout.top + this.layout.rowHeight * (row + 0.5);
  }

  /** The time that a pixel takes. */
  get pixel(): number {
    return 1 / this.perTime;
  }

  /** Coordinates far outside confuse canvases; lines are cut well outside of the picture. */
  held(x: number): number {
    return Math.min(Math.max(x, -20000), 20000 + this.layout.width);
  }
}
