// The report of a comparison: the table of all methods, and their bounds and errors over time.

import type { Assumption, Best, Comparison, Method } from "../data/comparison";
import type { ChartMeta, ChartSeriesMeta, Meta } from "../data/meta";
import { h, menu, section } from "../dom";
import { durationAxis } from "../figures/axis";
import { Figure, plotHint } from "../figures/figure";
import type { Plot, Series } from "../figures/plot";
import { formatBytes, formatCount, formatDuration } from "../format";
import { cell, sortableTable, type Cell, type Column } from "./table";
import { findings, orderSentence, origin, tile } from "./verdict";

// Absent where a method found nothing.
function duration(ns: number | null | undefined): Cell {
  return ns === undefined ? cell("–", null) : cell(formatDuration(ns), ns);
}

function count(n: number | undefined, isBad: boolean): Cell {
  return n === undefined ? cell("–", null) : cell(formatCount(n), n, isBad);
}

function named(names: string[]): string {
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`;
}

/** Why there is no correction, or what weakens it. */
export function reasonsOf(method: Method): string[] {
  if (method.failure !== null) return [method.failure];
  const reasons = new Map<string, string[]>();
  for (const clock of method.clocks ?? []) {
    if (clock.name === clock.reference || clock.quality === "accurate") continue;
    const reason = clock.reason === "" ? clock.quality : `${clock.quality}, ${clock.reason}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), clock.name]);
  }
  return [...[...reasons].map(([reason, names]) => `${named(names)}: ${reason}`),
    ...(method.findings ?? []).map((f) => `${formatCount(f.count)} × ${f.name}`)];
}

/** What is to be said of every method. */
export function commonReasons(methods: Method[]): string[] {
  const lists = methods.map(reasonsOf);
  return (lists[0] ?? []).filter((reason) => lists.every((list) => list.includes(reason)));
}

function assumed(method: Method): Cell {
  if (method.assumes === undefined) return cell("–", null);
  const isContradicted = method.contradiction != null;
  const rates = method.assumes_constant_rates === true ? "constant rates" : "limited rates";
  const text = rates + (isContradicted ? ": contradicted" : "");
  return cell(h("span", { title: method.assumes }, text), text, isContradicted);
}

function methodTable(comparison: Comparison): HTMLElement {
  const { methods } = comparison;
  const hasTruth = methods.some((m) => m.truth !== undefined);
  const hasBroadcasts = methods.some((m) => m.broadcast_ns != null);
  const hasMinimum = /^(given|symmetric) minimum delays/.test(comparison.bounds_assume ?? "");
  const best = new Set(ranked(comparison).flatMap((a) => [a.best.name, ...a.best.as_good]));
  const columns: Column[] = [
    { title: "method", isNumber: false, hint: "how the clocks were brought together" },
    { title: "inverted", isNumber: true, hint: "messages received before sent, after correction" },
    ...(hasMinimum ? [{ title: "too fast", isNumber: true, hint: "faster than the minimum delay" }] : []),
    { title: "accurate", isNumber: true, hint: "clocks with quality accurate, of all but the reference" },
    { title: "± mean", isNumber: true, hint: "how far the true time can be from the corrected one, on average" },
    { title: "± worst", isNumber: true, hint: "how far the true time can be from the corrected one, where that is least known" },
    { title: "± assumes", isNumber: false, hint: "what of clocks the ± rests on; compare it with those that assume the same" },
    { title: "residual", isNumber: true, hint: "root mean square of corrected delays; it holds the true delays" },
    ...(hasBroadcasts ? [{ title: "broadcasts", isNumber: true, hint: "root mean square of the differences between the receivers of one broadcast" }] : []),
    ...(hasTruth ? [{ title: "largest error", isNumber: true, hint: "of corrected − true time" }, { title: "RMS error", isNumber: true, hint: "root mean square of corrected − true time" },
      { title: "outside ±", isNumber: true, hint: "events whose true time is outside of the bounds claimed" }] : []),
    { title: "time", isNumber: true, hint: "how long the method took" }, { title: "memory", isNumber: true, hint: "the most memory while it ran" },
  ];
  const rows = methods.map((m): Cell[] => [
    cell(best.has(m.name) ? h("span", { class: "best", title: "best" }, m.name) : m.name, m.name),
    count(m.inverted, (m.inverted ?? 0) > 0), ...(hasMinimum ? [count(m.too_fast, (m.too_fast ?? 0) > 0)] : []),
    m.accurate_clocks === undefined ? cell("–", null) : cell(`${formatCount(m.accurate_clocks)} of ${formatCount(m.corrected_clocks ?? 0)}`, m.accurate_clocks),
    duration(m.bound_ns?.mean), duration(m.bound_ns?.worst), assumed(m), duration(m.failure === null ? m.residual_ns ?? null : undefined),
    ...(hasBroadcasts ? [duration(m.broadcast_ns ?? undefined)] : []),
    ...(hasTruth ? [duration(m.truth?.max_error_ns), duration(m.truth?.rms_error_ns),
      count(m.truth?.outside_bound, (m.truth?.outside_bound ?? 0) > 0)] : []),
    duration(Math.round(m.estimate_s * 1e9)), m.memory_bytes === null ? cell("–", null) : cell(formatBytes(m.memory_bytes), m.memory_bytes),
  ]);
  return sortableTable("methods", columns, rows);
}

/** What is to be said of some methods, not of all: the remark, and whom it concerns. */
export function remarksOf(methods: Method[]): [string, string[]][] {
  const common = commonReasons(methods);
  const remarks = new Map<string, string[]>();
  for (const m of methods) {
    for (const reason of reasonsOf(m)) {
      if (!common.includes(reason)) remarks.set(reason, [...(remarks.get(reason) ?? []), m.name]);
    }
  }
  return [...remarks];
}

// Apart from the table: long texts of many methods would leave no room for its numbers.
function remarksTable(methods: Method[]): HTMLElement[] {
  const remarks = remarksOf(methods);
  if (remarks.length === 0) return [];
  const rows = remarks.map(([remark, names]): Cell[] => [cell(remark, remark), cell(names.join(", "), names.length)]);
  return [h("h3", {}, "Remarks"),
    sortableTable("remarks", [{ title: "remark", isNumber: false, hint: "what was noticed" }, { title: "methods", isNumber: false, hint: "the methods that it was noticed with" }], rows)];
}

/** The method with the least true error, where the truth is known. */
export function truthSentence(comparison: Comparison): string {
  const known = comparison.methods.flatMap((m) => (m.truth === undefined ? [] : [{ name: m.name, truth: m.truth }]));
  if (known.length === 0) return "";
  const nearest = known.reduce((best, m) => (m.truth.rms_error_ns < best.truth.rms_error_ns ? m : best));
  const outside = known.filter((m) => m.truth.outside_bound > 0).map((m) => m.name);
  const own = known.find((m) => m.name === comparison.best?.name);
  return `Measured by the truth, ${nearest.name} is the nearest: ${formatDuration(Math.round(nearest.truth.rms_error_ns))} root mean square, ` +
    `${formatDuration(nearest.truth.max_error_ns)} at most` +
    (own === undefined || own === nearest ? ". " : `; ${own.name}: ${formatDuration(Math.round(own.truth.rms_error_ns))} and ${formatDuration(own.truth.max_error_ns)}. `) +
    (outside.length === 0 ? "Every true time lies within the bounds claimed." : `Outside of the bounds claimed are times by ${outside.join(", ")}.`);
}

type Ranked = Assumption & { best: Best };

function ranked(comparison: Comparison): Ranked[] {
  return comparison.assumptions.filter((a): a is Ranked => a.best !== null);
}

export function bestSentence(comparison: Comparison): string {
  if (comparison.assumptions.length === 0) return "No method finds a correction.";
  const all = ranked(comparison);
  if (all.length === 0) return "No method's figures can be compared: messages contradict what each assumes.";
  const [first, ...others] = all;
  return `${first.best.name} gives the most that can be guaranteed for ${first.assumes}` +
    others.map((a) => `; ${a.best.name} for ${a.assumes}`).join("") + ".";
}

function reasonSentence(assumption: Assumption): string {
  const { best } = assumption;
  if (best === null) {
    return `The ± of ${named(assumption.methods)} is no guarantee, and is not compared: it rests on ${assumption.assumes}, but ${assumption.contradiction ?? ""}.`;
  }
  return `${best.name}: ${best.reason}.` + (best.as_good.length === 0 ? "" : ` As good: ${best.as_good.join(", ")}.`);
}

/** Why these, what is as good, and what cannot be compared. */
export function reasonSentences(comparison: Comparison): string[] {
  const apart = ranked(comparison).length > 1 ? ["Figures of different assumptions do not compare: a narrower ± can be a stronger assumption."] : [];
  return [...comparison.assumptions.map(reasonSentence), ...apart];
}

function commonSentence(methods: Method[]): string {
  const common = commonReasons(methods);
  return common.length === 0 ? "" : `Of all methods: ${common.join("; ")}.`;
}

// The SVG files are for white paper: what is too dark for a dark page has colors of the page.
const kInks = new Map([["#24292f", "text"], ["#57606a", "muted"], ["#8c959f", "muted"], ["#b35900", "forward"], ["#2a6f97", "backward"],
  ["#0072b2", "linea"], ["#7a5195", "lined"], ["#8c564b", "lineh"]]);

function colorOf(color: string): string {
  const ink = kInks.get(color);
  return ink === undefined ? color : `var(--${ink})`;
}

function seriesOf(chart: ChartMeta): Series[] {
  const abscissas = (s: ChartSeriesMeta): number[] => {
    const x = typeof s.x === "number" ? chart.series[s.x]?.x : s.x;
    return Array.isArray(x) ? x : [];
  };
  const series: Series[] = [];
  for (const s of chart.series) {
    const x = abscissas(s);
    const before = series.at(-1);
    // What has no name goes on with the one before.
    if (s.label === "" && before?.kind === "line" && s.kind === "line") {
      before.x = [...before.x, x[0] ?? 0, ...x];
      before.y = [...before.y, null, ...s.y];
      continue;
    }
    series.push({ label: s.label.replaceAll(":\n", ": ").replaceAll("\n", ", "), color: colorOf(s.color), width: s.width, dashed: s.dash !== "",
      opacity: s.opacity, ...(s.kind === "area" ? bandOf(x, s.y) : { kind: s.kind, x, y: s.y }) });
  }
  return series;
}

// A polygon goes along its upper side and back along the lower one.
function bandOf(x: number[], y: (number | null)[]): { kind: "band"; x: number[]; y: (number | null)[]; to: (number | null)[] } {
  const half = x.length / 2;
  return { kind: "band", x: x.slice(0, half), y: y.slice(0, half), to: y.slice(half).reverse() };
}

function plotOf(chart: ChartMeta): Plot {
  return { title: chart.title, height: 320, x: durationAxis(chart.x_label, ...chart.x_range), y: durationAxis(chart.y_label, ...chart.y_range),
    series: seriesOf(chart) };
}

const kCaptions = {
  corridor: "Every message puts a limit to the conversion between the two clocks; lines are what the methods choose. A straight trend is taken out.",
  bounds: "Between which times the true one lies, as each method knows it; methods that agree share a line. A broadcast would be the truth, had it reached both receivers at once.",
  error: "What each method was wrong by; methods that agree share a line.",
};

function chartFigure(kind: ChartMeta["kind"], label: string, charts: ChartMeta[]): HTMLElement | null {
  const own = charts.filter((chart) => chart.kind === kind);
  if (own.length === 0) return null;
  const choose = (number: number): void => {
    const chart = own[number];
    figure.plot(plotOf(chart), `${chart.title}; ${chart.subtitle}. ${kCaptions[kind]}`);
  };
  const figure = new Figure(`compared-${kind}`, null, menu(label, own.map((chart) => chart.subject), choose));
  choose(0);
  return figure.element;
}

function tiles(comparison: Comparison): HTMLElement {
  const found = comparison.methods.filter((m) => m.failure === null);
  const strong = found.filter((m) => m.weak !== true && m.contradiction == null);
  const ordered = found.filter((m) => m.inverted === 0);
  return h("div", { class: "tiles" },
    tile("methods", formatCount(comparison.methods.length), `${formatCount(found.length)} find a correction`),
    tile("hold all guarantees", formatCount(strong.length), strong.length === 0 ? "each has a stated weakness" : "without any weakness", strong.length === 0 ? "warn" : "good"),
    tile("leave none inverted", formatCount(ordered.length), `of ${formatCount(comparison.messages.total)} messages`, ordered.length === 0 ? "bad" : "good"),
    tile("reference", comparison.reference ?? "each its own", "the clock whose time all get"));
}

export function comparisonSections(comparison: Comparison, meta: Meta): (HTMLElement | null)[] {
  const sentences = [...reasonSentences(comparison), orderSentence(comparison), truthSentence(comparison), commonSentence(comparison.methods)].filter((s) => s !== "");
  const bounds = chartFigure("bounds", "clock", meta.charts);
  const errors = chartFigure("error", "clock", meta.charts);
  const corridors = chartFigure("corridor", "pair", meta.charts);
  return [
    section("verdict", "Which method", h("p", { class: "verdict" }, bestSentence(comparison)), tiles(comparison),
      ...sentences.map((s) => h("p", {}, s)), h("h3", {}, "Methods"), methodTable(comparison),
      ...remarksTable(comparison.methods)),
    errors === null ? null : section("errors", "Errors over time", plotHint(), errors),
    bounds === null ? null : section("bounds", "Bounds over time", plotHint(), bounds),
    corridors === null ? null : section("corridors", "Corridors", plotHint(), corridors),
    findings(comparison, meta), origin(comparison, meta, [["reference", comparison.reference ?? "each method's own"]]),
  ];
}
