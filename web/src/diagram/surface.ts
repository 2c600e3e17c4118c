// What the space-time diagram is drawn on: a canvas on the page, or SVG for saving. One way of
// drawing for both, so that what is saved is what is seen.

export interface Point { x: number; y: number }
export type Align = "start" | "middle" | "end";

export interface Surface {
  /** Lines from 4 numbers each: x1, y1, x2, y2. */
  lines(coordinates: number[], color: string, width: number, opacity?: number, dashed?: boolean): void;
  /** Rectangles from 4 numbers each: x, y, width, height. */
  rectangles(coordinates: number[], color: string, opacity?: number): void;
  /** Dots from 2 numbers each, of one radius. */
  dots(coordinates: number[], radius: number, color: string): void;
  triangle(a: Point, b: Point, c: Point, color: string): void;
  text(text: string, at: Point, color: string, align?: Align, bold?: boolean): void;
  /** Cut off what follows, until the next call; null: nothing. */
  clip(area: { x: number; y: number; width: number; height: number } | null): void;
}

export const kFontSize = 12;
export const kFont = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

export class CanvasSurface implements Surface {
  private isClipped = false;
  constructor(private readonly context: CanvasRenderingContext2D) {}

  lines(c: number[], color: string, width: number, opacity = 1, dashed = false): void {
    if (c.length === 0) return;
    const { context } = this;
    context.globalAlpha = opacity;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    for (let i = 0; i + 3 < c.length; i += 4) {
      context.moveTo(c[i], c[i + 1]);
      context.lineTo(c[i + 2], c[i + 3]);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  rectangles(c: number[], color: string, opacity = 1): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = color;
    for (let i = 0; i + 3 < c.length; i += 4) context.fillRect(c[i], c[i + 1], c[i + 2], c[i + 3]);
    context.globalAlpha = 1;
  }

  dots(c: number[], radius: number, color: string): void {
    const { context } = this;
    context.fillStyle = color;
    context.beginPath();
    for (let i = 0; i + 1 < c.length; i += 2) {
      context.moveTo(c[i] + radius, c[i + 1]);
      context.arc(c[i], c[i + 1], radius, 0, 2 * Math.PI);
    }
    context.fill();
  }

  triangle(a: Point, b: Point, c: Point, color: string): void {
    const { context } = this;
    context.fillStyle = color;
    context.beginPath();
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
    context.lineTo(c.x, c.y);
    context.fill();
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

  lines(c: number[], color: string, width: number, opacity = 1, dashed = false): void {
    if (c.length === 0) return;
    let path = "";
    for (let i = 0; i + 3 < c.length; i += 4) {
      path += `M${round(c[i])} ${round(c[i + 1])}L${round(c[i + 2])} ${round(c[i + 3])}`;
    }
    const dashes = dashed ? ' stroke-dasharray="4 3"' : "";
    this.parts.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}"` +
      ` stroke-opacity="${opacity}"${dashes}/>`);
  }

  rectangles(c: number[], color: string, opacity = 1): void {
    if (c.length === 0) return;
    let path = "";
    for (let i = 0; i + 3 < c.length; i += 4) {
      path += `M${round(c[i])} ${round(c[i + 1])}h${round(c[i + 2])}v${round(c[i + 3])}h${round(-c[i + 2])}z`;
    }
    this.parts.push(`<path d="${path}" fill="${color}" fill-opacity="${opacity}"/>`);
  }

  dots(c: number[], radius: number, color: string): void {
    for (let i = 0; i + 1 < c.length; i += 2) {
      this.parts.push(`<circle cx="${round(c[i])}" cy="${round(c[i + 1])}" r="${radius}" fill="${color}"/>`);
    }
  }

  triangle(a: Point, b: Point, c: Point, color: string): void {
    const points = [a, b, c].map((p) => `${round(p.x)},${round(p.y)}`).join(" ");
    this.parts.push(`<polygon points="${points}" fill="${color}"/>`);
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
