// Who talks to whom: a matrix of clocks with counts, smallest delays and inversions.

import { directionsOf, type DirectionOf, type Summary } from "../data/summary";
import { menu, section, svg } from "../dom";
import { Figure } from "../figures/figure";
import { counted, formatCount, formatDuration } from "../format";
import { arrow } from "./verdict";

interface Measure { name: string; kind: "count" | "inverted" | "delay"; value: (d: DirectionOf) => number | null }

// Messages one by one and what collectives stand for are counted apart, as in the table of pairs.
const kMeasures: Measure[] = [
  { name: "messages", kind: "count", value: oneByOne },
  { name: "inverted as recorded", kind: "inverted", value: (d) => d.direction.before.inverted },
  { name: "smallest corrected delay", kind: "delay", value: (d) => (d.direction.after ?? d.direction.before).smallest_delay_ns }];
const kOfCollectives: Measure[] = [
  { name: "messages that collectives stand for", kind: "count", value: (d) => d.direction.of_collectives?.total ?? 0 },
  { name: "of these inverted as recorded", kind: "inverted", value: (d) => d.direction.of_collectives?.inverted_before ?? 0 }];

function oneByOne(d: DirectionOf): number {
  return d.messages - (d.direction.of_collectives?.total ?? 0);
}

function shortNumber(value: number): string {
  return value < 10_000 ? String(value) : value < 1e6 ? `${Math.round(value / 1e3)}k` : `${(value / 1e6).toFixed(1)}M`;
}

function shortDuration(ns: number): string {
  const size = Math.abs(ns);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${(ns / unit).toPrecision(3)} ${name}`.replace("-", "\u2212");
}

function describe(d: DirectionOf): string {
  const { before, after } = d.direction;
  const of = d.direction.of_collectives;
  const collectives = of === undefined || of.total === 0 ? ""
    : `; ${formatCount(of.total)} that collectives stand for, ${arrow(of.inverted_before, of.inverted_after)} inverted`;
  return `${d.from} → ${d.to}: ${counted(oneByOne(d), "message")}, ${arrow(before.inverted, after?.inverted)} inverted, smallest delay ` +
    formatDuration((after ?? before).smallest_delay_ns) + collectives;
}

function shortened(name: string, letters: number): string {
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}

function drawMatrix(summary: Summary, measure: Measure, choose: (from: string, to: string) => void): SVGSVGElement {
  const names = summary.clocks.map((clock) => clock.name);
  const size = Math.max(13, Math.min(64, 760 / Math.max(1, names.length)));
  const longest = names.reduce((most, name) => Math.max(most, Math.min(16, name.length)), 1);
  const left = 40 + longest * 7;
  const top = size >= 40 ? 48 : 34 + longest * 7;
  const width = left + size * names.length + 10;
  const root = svg("svg", { viewBox: `0 0 ${width} ${top + size * names.length + 10}`, class: "matrix",
    style: `max-width:${width}px`, "font-family": "system-ui, sans-serif", "font-size": 12, role: "group", "aria-label": "Messages between clocks" },
  svg("text", { x: 4, y: 14, fill: "var(--muted)" }, "from ↓  to →"));
  const directions = directionsOf(summary);
  const most = directions.reduce((m, d) => Math.max(m, measure.value(d) ?? 0), 1);
  names.forEach((name, i) => {
    const at = i * size + size / 2;
    root.append(svg("text", { x: left - 8, y: top + at + 4, "text-anchor": "end", fill: "var(--text)", "font-size": Math.min(12, size * 0.8) }, shortened(name, 16)),
      svg("text", { "text-anchor": size >= 40 ? "middle" : "start", fill: "var(--text)", "font-size": Math.min(12, size * 0.8),
        transform: `translate(${left + at + (size >= 40 ? 0 : 4)} ${top - 8})${size >= 40 ? "" : " rotate(-90)"}` },
      shortened(name, size >= 40 ? Math.floor(size / 7) : 16)));
  });
  for (const d of directions) {
    const [row, column] = [names.indexOf(d.from), names.indexOf(d.to)];
    const value = measure.value(d);
    if (row < 0 || column < 0) continue;
    const share = value === null ? 0 : Math.max(0, value) / most;
    const color = measure.kind === "inverted" ? "var(--inverted)" : "var(--message)";
    const cell = svg("g", { tabindex: 0, role: "button", "aria-label": describe(d), class: "cell",
      click: () => { choose(d.from, d.to); },
      keydown: (event) => { if ((event as KeyboardEvent).key === "Enter") choose(d.from, d.to); } },
    svg("title", {}, describe(d)),
    svg("rect", { x: left + column * size + 1, y: top + row * size + 1, width: size - 2, height: size - 2, rx: Math.min(4, size / 6),
      fill: color, "fill-opacity": value === 0 ? 0.04 : 0.1 + 0.5 * Math.sqrt(share) }));
    if (size >= 36 && value !== null) {
      cell.append(svg("text", { x: left + (column + 0.5) * size, y: top + (row + 0.5) * size + 4, "text-anchor": "middle", fill: "var(--text)",
        "font-size": measure.kind === "delay" ? 10 : 12 }, measure.kind === "delay" ? shortDuration(value) : shortNumber(value)));
    }
    root.append(cell);
  }
  return root;
}

/** `choose` is called with the numbers of two clocks. */
export function matrix(summary: Summary, choose: ((from: number, to: number) => void) | null): HTMLElement {
  const names = summary.clocks.map((clock) => clock.name);
  const pick = (from: string, to: string): void => { choose?.(names.indexOf(from), names.indexOf(to)); };
  const measures = [...kMeasures, ...(summary.messages.of_collectives === undefined ? [] : kOfCollectives)];
  const show = (number: number): void => {
    figure.show(drawMatrix(summary, measures[number], pick),
      `Messages between clocks, by direction.${choose === null ? "" : " A click shows only these in the diagram."}`,
      () => [["from", "to", "messages", "inverted recorded", "inverted corrected", "smallest corrected delay ns", "of collectives",
        "of these inverted recorded", "of these inverted corrected"],
      ...directionsOf(summary).map(({ from, to, direction: { before, after, of_collectives: of }, ...d }) => [from, to,
        d.messages - (of?.total ?? 0), before.inverted, after?.inverted ?? null, (after ?? before).smallest_delay_ns,
        of?.total ?? 0, of?.inverted_before ?? 0, of?.inverted_after ?? null])]);
  };
  const figure = new Figure("communication", null, menu("show", measures.map((m) => m.name), show));
  show(0);
  return section("communication", "Communication", figure.element);
}
