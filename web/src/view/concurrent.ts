// The report of concurrency: measures of the whole, of processes and of regions, and where time was lost.

import type { Concurrency, Ratio, RegionMeasures } from "../data/concurrency";
import type { Meta, RegionParts } from "../data/meta";
import { titlesOf } from "../data/summary";
import { h, section, svg } from "../dom";
import { durationAxis, labelOf, numberAxis } from "../figures/axis";
import { Figure, plotHint } from "../figures/figure";
import { columns, edgesOf, middlesOf } from "../figures/parts";
import { rangeOf, type Series } from "../figures/plot";
import { counted, formatCount, formatDuration, formatInstant, formatPercent } from "../format";
import { definitions } from "./logical";
import { cell, sortableTable, textCell, type Cell, type Column } from "./table";
import { findings, origin, tile } from "./verdict";

const kMostBars = 64;
const kGroup = "regions";

export function formatRatio(ratio: Ratio): string {
  return ratio === null ? "n/a" : ratio.toFixed(3);
}

function ratio(value: Ratio): Cell {
  return cell(formatRatio(value), value);
}

function processes(count: number): string {
  return `${formatCount(count)} process${count === 1 ? "" : "es"}`;
}

/** "70 % of the processes' time was spent waiting, rank 0 most, for rank 1." */
export function waitSentence(c: Concurrency): string {
  const { computation: m, waited_for: waits } = c;
  const waited = m.volume_ns - m.weight_ns;
  if (waited <= 0) {
    return c.waits === "recorded" ? "No waiting is recorded in this trace: choose --waits to take time before receives for waiting."
      : "No process waited for another.";
  }
  const named = titlesOf(c.processes);
  const longest = [...c.processes].sort((a, b) => b.delayed_ns - a.delayed_ns)[0];
  const cause = waits.filter((w) => w.process === longest.name).sort((a, b) => b.delayed_ns - a.delayed_ns).at(0);
  const forWhom = cause === undefined ? "" : `, for ${cause.sender === null ? "collectives" : named(cause.sender)}`;
  return `${formatPercent(waited / m.volume_ns)} of the processes' time was spent waiting, ${named(longest.name)} most${forWhom}.`;
}

export function alphaSentence(c: Concurrency): string {
  const { computation: m } = c;
  const what = `${processes(c.processes.length)} with ${counted(m.messages, "message")}` +
    (m.collective_ends > 0 ? ` and ${counted(m.collective_ends, "end")} of collectives` : "");
  return m.alpha === null ? `The concurrency of ${what} is not defined: there is nothing that could have run at the same time.`
    : `Concurrency α = ${formatRatio(m.alpha)} of ${what}: 1 is fully concurrent, 0 fully sequential.`;
}

export function lossSentence(c: Concurrency): string {
  const { computation: m } = c;
  const waited = m.volume_ns - m.weight_ns;
  const share = m.volume_ns > 0 ? waited / m.volume_ns : 0;
  return `The processes computed ${formatDuration(m.weight_ns)} in all and waited ${formatDuration(waited)}, ` +
    `${formatPercent(share)} of their time; the longest causal path computes ${formatDuration(m.height_ns)}, and no schedule of the same computation takes less.`;
}

function tiles(c: Concurrency): HTMLElement {
  const { computation: m } = c;
  return h("div", { class: "tiles" },
    tile("concurrency α", formatRatio(m.alpha), "1: fully concurrent"),
    tile("efficiency Φ1", formatRatio(m.efficiency), "computed, of computed and waited"),
    tile("longest path Φ4", formatRatio(m.path_share), "of all that was computed"),
    tile("balance Φ7", formatRatio(m.balance), "1: all processes computed as much"),
    tile("messages", formatCount(m.messages), m.collective_ends > 0 ? `${counted(m.collective_ends, "end")} of collectives` : "between processes"));
}

function measureRows(c: Concurrency): [string, string][] {
  const { computation: m } = c;
  const load = (ns: Ratio): string => (ns === null ? "n/a" : formatDuration(Math.round(ns)));
  const { charron_bost: cuts } = m;
  return [
    ["loss Φ2", formatRatio(m.loss)], ["mean load Φ5", load(m.mean_load_ns)], ["mean deviation Φ6", load(m.load_deviation_ns)],
    ["for comparison", `Fidge β ${formatRatio(m.fidge)}, Raynal et al. α ${formatRatio(m.raynal)}, of ${counted(m.message_events, "message event")} ` +
      `and a longest path of ${formatCount(m.longest_path_events)}`],
    ["Charron-Bost m", cuts.consistent_cuts === null ? "not computed: too many consistent cuts (--max-cuts)"
      : `${formatRatio(cuts.m)}, of ${counted(cuts.consistent_cuts, "consistent cut")}`],
    ["waits", c.waits === "recorded" ? "as recorded" : c.waits === "replies" ? "recorded ones, and from a message to its answer" : "recorded ones, and all time before a receive"],
  ];
}

function processTable(c: Concurrency): HTMLElement {
  const named = titlesOf(c.processes);
  return sortableTable("processes", [
    { title: "process", isNumber: false, hint: "as the trace names it" }, { title: "computed", isNumber: true, hint: "not waiting: working, sending and receiving" }, { title: "waited", isNumber: true, hint: "for messages and collectives" },
    { title: "efficiency φ1", isNumber: true, hint: "computed, of computed and waited" },
    { title: "share Φ3", isNumber: true, hint: "of what all processes computed" },
    { title: "longest path", isNumber: true, hint: "the longest causal path that ends here computes so much" },
    { title: "regions", isNumber: true, hint: "stretches between two of its message events" }, { title: "message events", isNumber: true, hint: "sends, receives and parts of collectives" },
  ], c.processes.map((p): Cell[] => [textCell(named(p.name)), cell(formatDuration(p.computed_ns), p.computed_ns), cell(formatDuration(p.delayed_ns), p.delayed_ns),
    ratio(p.efficiency), ratio(p.share), cell(formatDuration(p.height_ns), p.height_ns), cell(formatCount(p.regions), p.regions),
    cell(formatCount(p.message_events), p.message_events)]));
}

function shortened(name: string, letters: number): string {
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}

// A bar per process: what it computed, and behind that what it waited.
function loadFigure(c: Concurrency): HTMLElement | null {
  const shown = [...c.processes].sort((a, b) => b.computed_ns + b.delayed_ns - a.computed_ns - a.delayed_ns).slice(0, kMostBars);
  const most = shown.reduce((m, p) => Math.max(m, p.computed_ns + p.delayed_ns), 0);
  if (most === 0) return null;
  const named = titlesOf(c.processes);
  const row = shown.length > 24 ? 14 : 22;
  const [left, width] = [150, 900];
  const axis = durationAxis("time of the process", 0, most * 1.02);
  const ticks = axis.ticks(axis.low, axis.high, 8);
  const x = (ns: number): number => left + ((width - left - 20) * ns) / axis.high;
  const bottom = 8 + shown.length * row;
  const root = svg("svg", { viewBox: `0 0 ${width} ${bottom + 58}`, class: "plot", role: "img", "aria-label": "What each process computed and waited",
    "font-family": "system-ui, sans-serif", "font-size": 12 }, svg("title", {}, "What each process computed and waited"));
  ticks.values.forEach((at, i) => {
    root.append(svg("path", { d: `M${x(at)} 4V${bottom}`, stroke: "var(--line)" }),
      svg("text", { x: x(at), y: bottom + 16, "text-anchor": "middle", fill: "var(--muted)" }, ticks.texts[i]));
  });
  shown.forEach((p, i) => {
    const y = 6 + i * row;
    const bar = (from: number, to: number, color: string, what: string): SVGElement => svg("rect", { x: x(from), y, width: Math.max(0, x(to) - x(from)),
      height: row - 4, fill: color, "fill-opacity": 0.85 }, svg("title", {}, `${named(p.name)} ${what} ${formatDuration(to - from)}`));
    root.append(svg("text", { x: left - 8, y: y + row / 2 + 2, "text-anchor": "end", fill: "var(--text)", "font-size": Math.min(12, row - 3) }, shortened(named(p.name), 22)),
      bar(0, p.computed_ns, "var(--message)", "computed"), bar(p.computed_ns, p.computed_ns + p.delayed_ns, "var(--forward)", "waited"));
  });
  root.append(svg("text", { x: width - 20, y: bottom + 34, "text-anchor": "end", fill: "var(--muted)" }, labelOf(axis, ticks.unit)),
    svg("rect", { x: left, y: bottom + 40, width: 10, height: 10, fill: "var(--message)" }), svg("text", { x: left + 16, y: bottom + 49, fill: "var(--text)" }, "computed"),
    svg("rect", { x: left + 90, y: bottom + 40, width: 10, height: 10, fill: "var(--forward)" }), svg("text", { x: left + 106, y: bottom + 49, fill: "var(--text)" }, "waited"));
  const figure = new Figure("load");
  const left_out = c.processes.length - shown.length;
  figure.show(root, "What each process computed and how long it waited, the longest first." +
    (left_out > 0 ? ` ${processes(left_out)} with less are left out.` : ""),
  () => [["process", "computed ns", "waited ns"], ...c.processes.map((p) => [p.name, p.computed_ns, p.delayed_ns])]);
  return figure.element;
}

function overTime(parts: RegionParts): HTMLElement[] {
  const count = parts.regions.length;
  const edges = edgesOf(parts, count);
  const end = edges.at(-1) ?? 1;
  const each = formatDuration(parts.width);
  const x = durationAxis("time since the first event of each clock", Math.max(0, edges[0]), end);
  const shares = parts.computed.map((computed, i) => {
    const all = computed + parts.delayed[i];
    return all === 0 ? 0 : (100 * parts.delayed[i]) / all;
  });
  const waits = new Figure("waits-over-time", kGroup);
  waits.plot({ title: "Share of waiting over time", height: 190, x,
    y: numberAxis("waited", 0, Math.max(1, (rangeOf(shares)?.[1] ?? 0) * 1.05), "%"),
    series: [columns("waited", "var(--forward)", edges, shares)] },
  `How much of the time of the regions that end in each ${each} their processes waited.`,
  () => [["from ns", "to ns", "regions", "computed ns", "waited ns"], ...shares.map((_, i) => [edges[i], edges[i + 1], parts.regions[i], parts.computed[i], parts.delayed[i]])]);
  const middles = middlesOf(parts, count);
  const series: Series[] = [{ label: "mean", color: "var(--message)", kind: "line", x: middles, y: parts.mean_alpha },
    { label: "least", color: "var(--inverted)", kind: "points", width: 4, x: middles, y: parts.least_alpha }];
  const alphas = new Figure("alpha-over-time", kGroup);
  const where = new Map(parts.where.map(([part, process, region]) => [part, [process, region] as const]));
  alphas.plot({ title: "Concurrency of regions over time", height: 190, x, y: numberAxis("α", 0, 1.02, ""), series },
  `α of the regions that end in each ${each}: how concurrent all was that led to them. It counts from the beginning, so it settles in time.`,
  () => [["from ns", "to ns", "mean alpha", "least alpha", "process of the least", "region of the least"],
    ...middles.map((_, i) => [edges[i], edges[i + 1], parts.mean_alpha[i], parts.least_alpha[i], where.get(i)?.[0] ?? null, where.get(i)?.[1] ?? null])]);
  return [waits.element, alphas.element];
}

function regionTable(name: string, regions: RegionMeasures[], named: (name: string) => string): HTMLElement {
  const heads: Column[] = [{ title: "process", isNumber: false, hint: "as the trace names it" }, { title: "region", isNumber: true, hint: "its number in the process, from 0" }, { title: "ends with", isNumber: false, hint: "the event that ends it" },
    { title: "event", isNumber: true, hint: "the event that ends it, by its number in the process, from 0" },
    { title: "after its start", isNumber: true, hint: "since the first event of the process, by its own clock" },
    { title: "α", isNumber: true, hint: "how concurrent all was that led to it: 1 fully, 0 not at all" }, { title: "computed in it", isNumber: true, hint: "by its process alone" }, { title: "waited in it", isNumber: true, hint: "by its process alone" }];
  return sortableTable(name, heads, regions.map((r): Cell[] => {
    const since = r.since_first_ns;
    return [textCell(named(r.process)), cell(formatCount(r.region), r.region), textCell(r.end.replaceAll("-", " ") + (r.sender === null ? "" : ` from ${named(r.sender)}`)),
      cell(formatCount(r.event), r.event), cell(formatInstant(since), since), ratio(r.alpha),
      cell(formatDuration(r.own_computed_ns), r.own_computed_ns), cell(formatDuration(r.own_delayed_ns), r.own_delayed_ns)];
  }));
}

function waitTable(c: Concurrency): HTMLElement {
  const all = Math.max(1, c.computation.volume_ns - c.computation.weight_ns);
  const named = titlesOf(c.processes);
  return sortableTable("waited-for", [
    { title: "process", isNumber: false, hint: "as the trace names it" }, { title: "waited for", isNumber: false, hint: "whose message it waited for" }, { title: "waits", isNumber: true, hint: "how many waits" },
    { title: "in all", isNumber: true, hint: "the sum of these waits" }, { title: "of all waiting", isNumber: true, hint: "share of the time that all processes waited" },
  ], c.waited_for.map((w): Cell[] => [textCell(named(w.process)), textCell(w.sender === null ? "collectives" : named(w.sender)), cell(formatCount(w.waits), w.waits),
    cell(formatDuration(w.delayed_ns), w.delayed_ns), cell(formatPercent(w.delayed_ns / all), w.delayed_ns / all)]));
}

export function concurrencySections(c: Concurrency, meta: Meta): (HTMLElement | null)[] {
  const { regions } = meta;
  const named = titlesOf(c.processes);
  return [
    section("verdict", "How concurrent it was", h("p", { class: "verdict" }, waitSentence(c)), h("p", {}, lossSentence(c)), tiles(c),
      h("p", {}, alphaSentence(c)), definitions(measureRows(c))),
    regions === null || regions.regions.length === 0 ? null : section("over-time", "Over time", plotHint(), ...overTime(regions)),
    section("processes", "Processes", loadFigure(c), processTable(c)),
    section("waits", "Who waited for whom", c.waited_for.length === 0 ? h("p", {}, "Nobody is known to have waited for a message.") : waitTable(c)),
    section("regions", "Regions", h("p", { class: "hint" }, "A region is what lies between two message events of a process. These have the least α: the least " +
      "concurrent of all that led to them."), regionTable("least-alpha", c.regions, named),
    c.longest_waits.length === 0 ? null : h("h3", {}, "Longest waits"), c.longest_waits.length === 0 ? null : regionTable("longest-waits", c.longest_waits, named)),
    findings(c, meta), origin(c, meta, []),
  ];
}
