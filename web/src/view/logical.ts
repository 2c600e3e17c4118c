// What a logical clock did: its figures, and over time how far it moved events, which intervals it
// changed, and how fast the controllers let it run.

import type { ChangeParts, GammaParts, TimelineMeta } from "../data/meta";
import { titlesOf, type Intervals, type Logical, type Place } from "../data/summary";
import { h } from "../dom";
import { durationAxis, logarithmicAxis, numberAxis, type Axis } from "../figures/axis";
import { Figure } from "../figures/figure";
import { columns, edgesOf, middlesOf, stacked } from "../figures/parts";
import { rangeOf } from "../figures/plot";
import type { Table } from "../figures/save";
import { counted, formatCount, formatDuration, formatInstant, formatPercent } from "../format";
import { cell, sortableTable, textCell, type Cell } from "./table";

const kMostChanges = 20;
const kGroup = "logical clock";
const kControllers = [
  { key: "a", name: "A", about: "γmax", color: "var(--message)" },
  { key: "b", name: "B", about: "all are ahead", color: "var(--lineb)" },
  { key: "c", name: "C", about: "far ahead of the simple clock", color: "var(--lined)" },
  { key: "d", name: "D", about: "the least rate", color: "var(--linec)" },
] as const;

function at(place: Place | null | undefined, titleOf: (name: string) => string): string {
  return place == null ? "" : ` (event ${formatCount(place.event)} of ${titleOf(place.process)})`;
}

/** What the logical clock had to do, by the names of docs/methods/logical-clock.md. */
export function logicalRows(logical: Logical): [string, string][] {
  const { controllers, amortization } = logical;
  const titleOf = titlesOf(logical.processes);
  const acted = Object.entries(controllers.events).filter(([, count]) => count > 0)
    .map(([name, count]) => `${name.toUpperCase()} at ${formatCount(count)}`).join(", ");
  const slope = amortization.amortized === 0 ? "" : `, at most ${formatPercent(amortization.largest_slope)} of an interval${at(amortization.largest_slope_at, titleOf)}`;
  return [
    ["clock", [logical.clock, logical.controller].filter((t) => t !== "").join(", ")],
    ["events moved", `${formatCount(logical.events_moved)} of ${formatCount(logical.events)}`],
    ["largest jump", formatDuration(logical.largest_clock_difference_ns)],
    ["jumps spread backwards", `${formatCount(amortization.amortized)} of ${formatCount(amortization.jumps)}${slope}`],
    ["least γ", controllers.smallest_gamma === null ? "–" : String(controllers.smallest_gamma) + at(controllers.smallest_gamma_at, titleOf)],
    ["γ set by controller", acted === "" ? "–" : `${acted} events`],
  ];
}

export function definitions(rows: [string, string][]): HTMLElement {
  return h("dl", {}, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

function timeAxis(timeline: TimelineMeta): Axis {
  return durationAxis("time", 0, Math.max(1, timeline.duration));
}

// How wide a part is, and what a value of it means.
function perPart(width: number): string {
  return `in each ${formatDuration(width)}`;
}

function tableOf(heads: string[], columns: (number | null)[][]): () => Table {
  return () => [heads, ...(columns[0] ?? []).map((_, i) => columns.map((column) => column[i] ?? null))];
}

function advanceFigure(timeline: TimelineMeta, parts: ChangeParts): HTMLElement | null {
  const high = rangeOf(parts.advance)?.[1] ?? 0;
  if (high === 0) return null;
  const figure = new Figure("advances", kGroup);
  figure.plot({ title: "Moved by the logical clock over time", height: 170,
    x: timeAxis(timeline), y: durationAxis("largest advance", 0, high * 1.08),
    series: [columns("largest advance", "var(--accent)", edgesOf(parts, parts.advance.length), parts.advance)] },
  `How far the logical clock moved an event forward, at most, ${perPart(parts.width)}.`,
    tableOf(["from ns", "to ns", "largest advance ns"], [edgesOf(parts, parts.advance.length), edgesOf(parts, parts.advance.length).slice(1), parts.advance]));
  return figure.element;
}

function changeFigures(timeline: TimelineMeta, parts: ChangeParts, titleOf: (name: string) => string): HTMLElement[] {
  const count = parts.changed.length;
  if (!parts.changed.some((n) => n > 0)) return [];
  const edges = edgesOf(parts, count);
  const shares = parts.changed.map((n, i) => (parts.intervals[i] === 0 ? 0 : (100 * n) / parts.intervals[i]));
  const most = rangeOf(shares)?.[1] ?? 1;
  const share = new Figure("changed-intervals", kGroup);
  share.plot({ title: "Intervals changed by the logical clock over time", width: 560, height: 190,
    x: timeAxis(timeline), y: numberAxis("intervals", 0, most * 1.05, "%"),
    series: [columns("changed", "var(--message)", edges, shares)] },
  `The share of intervals between successive events of a process that the logical clock changed, ${perPart(parts.width)}.`,
  tableOf(["from ns", "to ns", "intervals", "changed"], [edges, edges.slice(1), parts.intervals, parts.changed]));
  const size = new Figure("interval-changes", kGroup);
  size.plot({ title: "Largest change of an interval over time", width: 560, height: 190,
    x: timeAxis(timeline), y: logarithmicAxis("largest change", parts.change),
    series: [{ label: "largest change", color: "var(--forward)", kind: "points", width: 4, x: middlesOf(parts, count),
      y: parts.change.map((change) => (change > 0 ? Math.log10(change) : null)) }] },
  `How much the interval that changed most became longer or shorter, ${perPart(parts.width)}; the scale is logarithmic.`,
  tableOf(["from ns", "to ns", "largest change"], [edges, edges.slice(1), parts.change]));
  return [h("div", { class: "two" }, share.element, size.element), h("h3", {}, "Intervals that changed most"), changeTable(parts, titleOf)];
}

function changeTable(parts: ChangeParts, titleOf: (name: string) => string): HTMLElement {
  const worst = [...parts.where].sort((x, y) => parts.change[y[0]] - parts.change[x[0]]).slice(0, kMostChanges);
  const rows = worst.map(([part, process, event, before, after]): Cell[] => {
    const start = Math.max(0, parts.start + part * parts.width);
    return [cell(formatInstant(start), start), textCell(titleOf(process)), cell(formatCount(event), event),
      cell(formatDuration(before), before), cell(formatDuration(after), after), cell(formatPercent(parts.change[part]), parts.change[part])];
  });
  const table = sortableTable("interval-changes", [
    { title: "from", isNumber: true, hint: "since the first event: where the part of the trace begins whose largest change this is" },
    { title: "process", isNumber: false, hint: "as the trace names it" }, { title: "before event", isNumber: true, hint: "the event that ends the interval, by its number in the process, from 0" },
    { title: "recorded", isNumber: true, hint: "the length as recorded" }, { title: "became", isNumber: true, hint: "the length as corrected" }, { title: "change", isNumber: true, hint: "the difference of both" },
  ], rows);
  const left = parts.where.length - worst.length;
  return h("div", {}, table, h("p", { class: "hint" }, `The largest change ${perPart(parts.width)}` +
    (left > 0 ? `; ${counted(left, "further part")} changed no more.` : ".")));
}

function gammaFigures(timeline: TimelineMeta, parts: GammaParts): HTMLElement[] {
  const count = parts.smallest.length;
  const lists = kControllers.map((c) => parts[c.key]);
  const totals = parts.smallest.map((_, i) => lists.reduce((sum, list) => sum + list[i], 0));
  const edges = edgesOf(parts, count);
  const gamma = new Figure("gamma", kGroup);
  const seen = parts.smallest.map((value, i) => (totals[i] > 0 ? value : null));
  const least = rangeOf(seen)?.[0] ?? 0;
  const low = Math.max(0, least - Math.max((1 - least) * 0.08, 1e-9));
  gamma.plot({ title: "γ over time", width: 560, height: 190,
    x: timeAxis(timeline), y: numberAxis("smallest γ", low, 1, ""),
    series: [{ label: "smallest γ", color: "var(--accent)", kind: "line", x: middlesOf(parts, count), y: seen }] },
  `The smallest γ ${perPart(parts.width)}: how fast the controlled clock ran at least, where it was ahead, against the clock it corrects.`,
  tableOf(["from ns", "to ns", "smallest gamma"], [edges, edges.slice(1), parts.smallest]));
  const shares = lists.map((list) => list.map((n, i) => (totals[i] === 0 ? 0 : (100 * n) / totals[i])));
  const labels = kControllers.map((c, i) => (lists[i].some((n) => n > 0) ? `${c.name}: ${c.about}` : ""));
  const acted = new Figure("controllers", kGroup);
  acted.plot({ title: "Which controller set γ over time", width: 560, height: 190,
    x: timeAxis(timeline), y: numberAxis("events", 0, 100, "%"), series: stacked(labels, kControllers.map((c) => c.color), edges, shares) },
  `The controller that determined γ, as a share of the events ${perPart(parts.width)}.`,
  tableOf(["from ns", "to ns", "A", "B", "C", "D"], [edges, edges.slice(1), ...lists]));
  return [h("div", { class: "two" }, gamma.element, acted.element)];
}

/** The figures of what the logical clock did over time; nothing where it had nothing to do. */
export function logicalOverTime(timeline: TimelineMeta, logical: Logical): HTMLElement[] {
  const { changes, gamma } = timeline;
  const figures = changes === null ? [] : [advanceFigure(timeline, changes), ...changeFigures(timeline, changes, titlesOf(logical.processes))];
  const moved = logical.events_moved > 0 || figures.some((figure) => figure !== null);
  return [...figures, ...(gamma === null || !moved || logical.controller === "original" ? [] : gammaFigures(timeline, gamma))]
    .filter((figure): figure is HTMLElement => figure !== null);
}

/** Whether intervals kept their lengths, where that is known. */
export function keptShare(intervals: Intervals): number {
  const all = intervals.unchanged + intervals["up_to_0.1_percent"] + intervals.above;
  return all === 0 ? 1 : intervals.unchanged / all;
}
