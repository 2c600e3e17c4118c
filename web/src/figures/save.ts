// Saving figures as SVG or PNG, and their data as CSV.

import { button, h } from "../dom";
import { readTheme, withColors } from "../theme";

export type Table = (string | number | null)[][];

export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => { URL.revokeObjectURL(url); }, 10_000);
}

/** Cells with commas, quotes or line ends are quoted (RFC 4180). Text that a spreadsheet would take
 * for a formula gets a quote before it. */
export function toCsv(table: Table): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+@\t-]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return table.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function svgText(element: SVGSVGElement): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const { width, height } = element.viewBox.baseVal;
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return withColors(new XMLSerializer().serializeToString(copy), readTheme()) + "\n";
}

export async function toPng(svg: string, background: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = 2;
  const canvas = h("canvas", { width: image.width * scale, height: image.height * scale });
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas to draw on");
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => { if (blob) resolve(blob); else reject(new Error("no picture")); });
  });
}

/** Buttons that save what the functions give when they are pressed. */
export function saveButtons(stem: string, svg: () => string, data: () => Table): HTMLElement {
  const saveSvg = (): void => { save(`${stem}.svg`, new Blob([svg()], { type: "image/svg+xml" })); };
  const savePng = (): void => {
    void toPng(svg(), readTheme().page).then((png) => { save(`${stem}.png`, png); });
  };
  const saveCsv = (): void => { save(`${stem}.csv`, new Blob([toCsv(data())], { type: "text/csv" })); };
  return h("span", { class: "save", role: "group", "aria-label": `Save ${stem}` },
    "save ", button("SVG", `Save ${stem} as SVG`, saveSvg), button("PNG", `Save ${stem} as PNG`, savePng),
    button("CSV", `Save the data of ${stem} as CSV`, saveCsv));
}
