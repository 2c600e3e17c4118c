// What the space-time diagram is drawn on: a canvas on the page, or SVG for saving. One way of
// drawing for both, so that what is saved is what is seen.

import { h } from "../dom";

export interface Point { x: number; y: number }
export type Coordinates = ArrayLike<number>;
export type Align = "start" | "middle" | "end";
/** Columns that reach up and down from `y`: by column, how far, and how far of it in red. */
export interface Bars { y: number; heights: Uint16Array; red: Uint16Array }
export interface BarsArea { left: number; column: number; height: number }

export interface Surface {
  /** Lines from 4 numbers each: x1, y1, x2, y2. */
  lines(coordinates: Coordinates, color: string, width: number, opacity?: number, dashed?: boolean): void;
  /** Rectangles from 4 numbers each: x, y, width, height. */
  rectangles(coordinates: Coordinates, color: string, opacity?: number): void;
  /** Rows of bars, with columns of one width; the area is as high as the picture. */
  bars(rows: readonly Bars[], area: BarsArea, color: string, red: string, opacity: number): void;
  /** Dots from 2 numbers each, of one radius. */
  dots(coordinates: Coordinates, radius: number, color: string): void;
  /** Triangles from 6 numbers each. */
  triangles(coordinates: Coordinates, color: string): void;
  text(text: string, at: Point, color: string, align?: Align, bold?: boolean): void;
  /** Cut off what follows, until the next call; null: nothing. */
  clip(area: { x: number; y: number; width: number; height: number } | null): void;
}

export const kFontSize = 12;
export const kFont = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

// Long paths take more than their parts, and dots that are small may be square.
const kLinesOfPath = 64;
const kDotsOfPath = 16;
const kTrianglesOfPath = 16;
const kSmallDot = 2;

/** Gives a canvas this size on the page; returns how many of its pixels are one of the page. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): number {
  const scale = Math.min(3, devicePixelRatio || 1);
  const pixels = { width: Math.round(width * scale), height: Math.round(height * scale) };
  if (canvas.width !== pixels.width || canvas.height !== pixels.height) {
    canvas.width = pixels.width;
    canvas.height = pixels.height;
    canvas.style.height = `${height}px`;
  }
  return scale;
}

/** "#rrggbb" as a pixel of an image. */
export function pixelOf(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  const [red, green, blue] = [value >> 16 & 255, value >> 8 & 255, value & 255];
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** Whether all lines go right or down. */
function areUpright(c: Coordinates): boolean {
  for (let i = 0; i + 3 < c.length; i += 4) {
    const [right, down] = [c[i + 2] - c[i], c[i + 3] - c[i + 1]];
    if (right < 0 || down < 0 || (right > 0 && down > 0)) return false;
  }
  return true;
}

export class CanvasSurface implements Surface {
  private isClipped = false;
  // Bars are written pixel by pixel: tens of thousands of rectangles would take longer.
  private readonly scratch = h("canvas", { width: 1, height: 1 });
  private image: ImageData | null = null;
  constructor(private readonly context: CanvasRenderingContext2D) {}

  lines(c: Coordinates, color: string, width: number, opacity = 1, dashed = false): void {
    if (c.length === 0) return;
    const { context } = this;
    context.globalAlpha = opacity;
    if (!dashed && areUpright(c)) {
      // Sharp, and much faster than strokes.
      context.fillStyle = color;
      for (let i = 0; i + 3 < c.length; i += 4) {
        const [x, y] = [Math.round(c[i] - width / 2), Math.round(c[i + 1] - width / 2)];
        context.fillRect(x, y, Math.max(width, c[i + 2] - c[i]), Math.max(width, c[i + 3] - c[i + 1]));
      }
      context.globalAlpha = 1;
      return;
    }
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dashed ? [4, 3] : []);
    for (let begin = 0; begin < c.length; begin += 4 * kLinesOfPath) {
      context.beginPath();
      for (let i = begin; i + 3 < Math.min(c.length, begin + 4 * kLinesOfPath); i += 4) {
        context.moveTo(c[i], c[i + 1]);
        context.lineTo(c[i + 2], c[i + 3]);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  rectangles(c: Coordinates, color: string, opacity = 1): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = color;
    for (let i = 0; i + 3 < c.length; i += 4) context.fillRect(c[i], c[i + 1], c[i + 2], c[i + 3]);
    context.globalAlpha = 1;
  }

  dots(c: Coordinates, radius: number, color: string): void {
    const { context } = this;
    context.fillStyle = color;
    if (radius <= kSmallDot) {
      for (let i = 0; i + 1 < c.length; i += 2) context.fillRect(c[i] - radius, c[i + 1] - radius, 2 * radius, 2 * radius);
      return;
    }
    for (let begin = 0; begin < c.length; begin += 2 * kDotsOfPath) {
      context.beginPath();
      for (let i = begin; i + 1 < Math.min(c.length, begin + 2 * kDotsOfPath); i += 2) {
        context.moveTo(c[i] + radius, c[i + 1]);
        context.arc(c[i], c[i + 1], radius, 0, 2 * Math.PI);
      }
      context.fill();
    }
  }

  bars(rows: readonly Bars[], area: BarsArea, color: string, red: string, opacity: number): void {
    const columns = rows[0]?.heights.length ?? 0;
    if (columns === 0) return;
    if (this.image?.width !== columns || this.image.height !== area.height) {
      this.image = new ImageData(columns, area.height);
      this.scratch.width = columns;
      this.scratch.height = area.height;
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    for (const row of rows) fillBars(pixels, row, area.height, pixelOf(color), pixelOf(red));
    this.scratch.getContext("2d", { willReadFrequently: true })?.putImageData(this.image, 0, 0);
    const { context } = this;
    context.globalAlpha = opacity;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.scratch, area.left, 0, columns * area.column, area.height);
    context.globalAlpha = 1;
  }

  triangles(c: Coordinates, color: string): void {
    const { context } = this;
    context.fillStyle = color;
    for (let begin = 0; begin < c.length; begin += 6 * kTrianglesOfPath) {
      context.beginPath();
      for (let i = begin; i + 5 < Math.min(c.length, begin + 6 * kTrianglesOfPath); i += 6) {
        context.moveTo(c[i], c[i + 1]);
        context.lineTo(c[i + 2], c[i + 3]);
        context.lineTo(c[i + 4], c[i + 5]);
      }
      context.fill();
    }
  }

  text(text: string, at: Point, color: string, align: Align = "start", bold = false): void {
    const { context } = this;
    context.font = `${bold ? "600 " : ""}${kFontSize}px ${kFont}`;
    context.fillStyle = color;
    context.textAlign = align === "middle" ? "center" : align;
    context.textBaseline = "middle";
    context.fillText(text, at.x, at.y);
  }

  clip(area: { x: number; y: number; width: number; height: number } | null): void {
    if (this.isClipped) this.context.restore();
    this.isClipped = area !== null;
    if (area === null) return;
    this.context.save();
    this.context.beginPath();
    this.context.rect(area.x, area.y, area.width, area.height);
    this.context.clip();
  }
}

function fillBars(pixels: Uint32Array, row: Bars, height: number, color: number, red: number): void {
  const { heights, red: reds } = row;
  const columns = heights.length;
  let most = 0;
  for (const h of heights) if (h > most) most = h;
  for (let up = -most; up < most; ++up) {
    const y = row.y + up;
    if (y < 0 || y >= height) continue;
    // Row `up` is within a bar of height h where −h ≤ up < h.
    const reach = up < 0 ? -up : up + 1;
    const begin = y * columns;
    for (let column = 0; column < columns; ++column) {
      if (heights[column] >= reach) pixels[begin + column] = reds[column] >= reach ? red : color;
    }
  }
}

// Bars of equal height side by side become one rectangle.
function barRectangles(heights: Uint16Array, y: number, area: BarsArea): number[] {
  const rectangles: number[] = [];
  for (let column = 0; column < heights.length;) {
    const height = heights[column];
    let end = column + 1;
    while (end < heights.length && heights[end] === height) ++end;
    if (height > 0) rectangles.push(area.left + column * area.column, y - height, (end - column) * area.column, 2 * height);
    column = end;
  }
  return rectangles;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

const round = (value: number): number => Math.round(value * 100) / 100;

export class SvgSurface implements Surface {
  private readonly parts: string[] = [];
  private clips = 0;
  private isClipped = false;

  constructor(private readonly width: number, private readonly height: number, background: string) {
    this.parts.push(`<rect width="${width}" height="${height}" fill="${background}"/>`);
  }

  lines(c: Coordinates, color: string, width: number, opacity = 1, dashed = false): void {
    if (c.length === 0) return;
    let path = "";
    for (let i = 0; i + 3 < c.length; i += 4) {
      path += `M${round(c[i])} ${round(c[i + 1])}L${round(c[i + 2])} ${round(c[i + 3])}`;
    }
    const dashes = dashed ? ' stroke-dasharray="4 3"' : "";
    this.parts.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}"` +
      ` stroke-opacity="${opacity}"${dashes}/>`);
  }

  rectangles(c: Coordinates, color: string, opacity = 1): void {
    if (c.length === 0) return;
    let path = "";
    for (let i = 0; i + 3 < c.length; i += 4) {
      path += `M${round(c[i])} ${round(c[i + 1])}h${round(c[i + 2])}v${round(c[i + 3])}h${round(-c[i + 2])}z`;
    }
    this.parts.push(`<path d="${path}" fill="${color}" fill-opacity="${opacity}"/>`);
  }

  bars(rows: readonly Bars[], area: BarsArea, color: string, red: string, opacity: number): void {
    this.rectangles(rows.flatMap((row) => barRectangles(row.heights, row.y, area)), color, opacity);
    this.rectangles(rows.flatMap((row) => barRectangles(row.red, row.y, area)), red, opacity);
  }

  dots(c: Coordinates, radius: number, color: string): void {
    for (let i = 0; i + 1 < c.length; i += 2) {
      this.parts.push(`<circle cx="${round(c[i])}" cy="${round(c[i + 1])}" r="${radius}" fill="${color}"/>`);
    }
  }

  triangles(c: Coordinates, color: string): void {
    if (c.length === 0) return;
    let path = "";
    for (let i = 0; i + 5 < c.length; i += 6) {
      path += `M${round(c[i])} ${round(c[i + 1])}L${round(c[i + 2])} ${round(c[i + 3])}L${round(c[i + 4])} ${round(c[i + 5])}Z`;
    }
    this.parts.push(`<path d="${path}" fill="${color}"/>`);
  }

  text(text: string, at: Point, color: string, align: Align = "start", bold = false): void {
    this.parts.push(`<text x="${round(at.x)}" y="${round(at.y)}" fill="${color}" text-anchor="${align}"` +
      ` dominant-baseline="central"${bold ? ' font-weight="600"' : ""}>${escaped(text)}</text>`);
  }

  clip(area: { x: number; y: number; width: number; height: number } | null): void {
    if (this.isClipped) this.parts.push("</g>");
    this.isClipped = area !== null;
    if (area === null) return;
    const id = `clip${this.clips++}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${area.x}" y="${area.y}" width="${area.width}"` +
      ` height="${area.height}"/></clipPath><g clip-path="url(#${id})">`);
  }

  toString(): string {
    this.clip(null);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}"` +
      ` viewBox="0 0 ${this.width} ${this.height}" font-family="${escaped(kFont)}"` +
      ` font-size="${kFontSize}">${this.parts.join("\n")}</svg>\n`;
  }
}
