// The first screen: one sentence, the numbers behind it, and the tables.

import type { Meta } from "../data/meta";
import { directionsOf, isCorrected, type Bound, type ClockSummary, type Diagnostic, type InputSummary, type Intervals, type Messages, type OfCollectives, type Origin, type Summary } from "../data/summary";
import { h, section, type Child } from "../dom";
import { counted, formatBounds, formatBytes, formatCount, formatDuration, formatPercent, formatPpm, formatSigned } from "../format";
import { cell, sortableTable, textCell, type Cell } from "./table";

function were(count: number): string {
  return count === 1 ? "was" : "were";
}

function collectivesSentence(of: OfCollectives | undefined): string {
  if (of === undefined) return "";
  const after = of.inverted_after;
  const left = after === undefined || of.inverted_before + after === 0 ? ""
    : `; after correction ${after === 0 ? "none is" : `${formatCount(after)} still ${after === 1 ? "is" : "are"}`}`;
  return ` Of ${counted(of.total, "message")} that collectives stand for, ` +
    `${of.inverted_before === 0 ? "none" : formatCount(of.inverted_before)} ${of.inverted_before > 1 ? "were" : "was"} received before sent${left}.`;
}

export function orderSentence(summary: { messages: Messages; pairs?: unknown[] }): string {
  return oneByOneSentence(summary) + collectivesSentence(summary.messages.of_collectives);
}

function oneByOneSentence(summary: { messages: Messages; pairs?: unknown[] }): string {
  const { messages } = summary;
  if (messages.total === 0) {
    return (summary.pairs ?? []).length > 0 ? "The processes exchanged no messages one by one: collectives relate their clocks."
      : "No messages relate two processes.";
  }
  const first = messages.inverted_before === 0
    ? `None of ${counted(messages.total, "message")} was received before it was sent`
    : `Of ${counted(messages.total, "message")}, ${formatCount(messages.inverted_before)} ${were(messages.inverted_before)} received before sent`;
  if (messages.inverted_after === undefined) return `${first}.`;
  const left = messages.inverted_after;
  return messages.inverted_before === 0 && left === 0 ? `${first}, before correction and after it.`
    : `${first}; after correction ${left === 0 ? "none is" : `${formatCount(left)} still ${left === 1 ? "is" : "are"}`}.`;
}

/** What bounds assume of rates. Most clocks have one limit; the others are named. */
function ratesOf(summary: Summary): string {
  const most = summary.max_drift_ppm ?? null;
  if (summary.rate_limit_ppm != null) return `as long as no two clocks' rates ever differ by more than ${summary.rate_limit_ppm} ppm`;
  const byLimit = new Map<number, string[]>();
  for (const { name, rate_limit_ppm: limit } of summary.clocks) {
    if (limit == null) continue;
    const rounded = Math.round(limit * 1000) / 1000;
    byLimit.set(rounded, [...(byLimit.get(rounded) ?? []), name]);
  }
  if (byLimit.size === 0) return most === null ? "for clocks of constant rates" : `for clocks of constant rates within ${most} ppm of each other`;
  if (most === null) return "for clocks that never go back";
  const raised = [...byLimit].filter(([limit]) => limit > most + 0.001).sort(([a], [b]) => a - b);
  return `for clocks whose rates stay within ${most} ppm of the reference` + raised.map(([limit, names]) => ` (${limit} ppm: ${names.join(", ")})`).join("") +
    (summary.max_wander_ppm != null ? `, and within ${summary.max_wander_ppm} ppm of their own mean` : "");
}

/** How many findings do. */
export function weakening(count: number): string {
  return count === 0 ? "none weakens the result" : `${formatCount(count)} ${count === 1 ? "weakens" : "weaken"} the result`;
}

function assumptionOf(summary: Summary): string {
  const assume = summary.bounds_assume ?? "nothing";
  const network = assume.startsWith("given") ? ", if every message takes at least its minimum delay"
    : assume.startsWith("symmetric") ? ", assuming about symmetric paths" : ", whatever the network did";
  const order = assume.includes("by order") ? ", if operations are matched rightly by their order" : "";
  const suspects = assume.includes("suspects") ? ", if the suspects alone are matched wrongly" : "";
  const steps = summary.steps?.length ?? 0;
  return ratesOf(summary) + (steps === 0 ? "" : ` ${steps === 1 ? "before and after" : "between"} ${counted(steps, "step")}`) + network + order + suspects;
}

/** "0.800 % of the time of c1, 1.20 % of the time of c2". */
function unboundedTimes(summary: Summary): string {
  const mostNamed = 3;
  const partly = summary.clocks.flatMap(({ name, unbounded_share: share = 0 }) => share > 0 && share < 1 ? [{ name, share }] : []);
  const percent = (share: number): string => `${(100 * share).toPrecision(3)}\u00a0%`;
  if (partly.length <= mostNamed) return partly.map(({ name, share }) => `${percent(share)} of the time of ${name}`).join(", ");
  return `up to ${percent(Math.max(...partly.map(({ share }) => share)))} of the time of ${counted(partly.length, "clock")}`;
}

export function boundSentence(summary: Summary): string {
  const worst = (clock: ClockSummary): number | null => clock.bound_ns.worst ?? clock.worst_where_bounded_ns ?? null;
  const open = summary.clocks.filter((clock) => worst(clock) === null);
  const others = summary.clocks.filter((clock) => (worst(clock) ?? 0) !== 0);
  const widest = others.reduce<ClockSummary | null>((best, clock) =>
    best === null || (worst(clock) ?? 0) > (worst(best) ?? 0) ? clock : best, null);
  const none = open.length === 0 ? "" : `on both sides holds for ${open.map((c) => c.name).join(", ")}.`;
  if (widest === null) return none === "" ? "" : `No bound ${none}`;
  const times = unboundedTimes(summary);
  return `Every true time lies within the bounds of its clock, at most ${formatDuration(worst(widest))}` +
    ` from the corrected one (${widest.name}): guaranteed ${assumptionOf(summary)}.` +
    (none === "" ? "" : ` No such bound ${none}`) + (times === "" ? "" : ` No such bound holds during ${times}.`) +
    (summary.diagnostics.some((d) => d.name === "clock-epoch-ambiguous")
      ? " Excepted are readings about a set-back that can be from either side of it." : "") +
    (summary.steps?.some((step) => step.clock === summary.reference)
      ? ` That ${summary.reference} was set, not all others at once, is assumed.` : "");
}

export function truthSentence(summary: Summary): string {
  const { truth } = summary;
  if (truth === undefined) return "";
  const outside = truth.outside_bound === 0 ? "none" : formatCount(truth.outside_bound);
  return `True error over ${counted(truth.events, "event")}: largest ${formatDuration(truth.max_error_ns)}, root mean ` +
    `square ${formatDuration(truth.rms_error_ns)}; ${outside} outside the reported bounds.`;
}

export function movedSentence(summary: Summary): string {
  const { logical } = summary;
  if (logical === undefined || logical.events_moved === 0) return "";
  return `The ${logical.clock} logical clock moved ${counted(logical.events_moved, "event")} of ` +
    `${formatCount(logical.events)} forward, where the corrections left contradictions.`;
}

export function tile(label: string, value: Child, note: string, tone = ""): HTMLElement {
  return h("div", { class: `tile ${tone}` }, h("span", { class: "label" }, label),
    h("strong", {}, value), h("span", { class: "note" }, note));
}

export function arrow(before: number, after: number | undefined): string {
  return after === undefined ? formatCount(before) : `${formatCount(before)} → ${formatCount(after)}`;
}

/** "Too fast" says something only where a minimum delay was given or assumed. */
function hasMinimumDelay(summary: Summary): boolean {
  return directionsOf(summary).some(({ direction }) => direction.min_delay_used_ns > 0);
}

function tiles(summary: Summary): HTMLElement {
  const { messages } = summary;
  const of = messages.of_collectives;
  const left = messages.inverted_after ?? messages.inverted_before;
  const fast = messages.too_fast_after ?? messages.too_fast_before;
  const events = summary.inputs.reduce((sum, input) => sum + (input.events ?? 0), 0);
  const severe = summary.diagnostics.filter((d) => d.severity !== "info").length;
  return h("div", { class: "tiles" },
    of !== undefined && messages.total === 0 ? null : tile("inverted messages", arrow(messages.inverted_before, messages.inverted_after), "received before sent", left > 0 ? "bad" : "good"),
    of === undefined ? null : tile("inverted of collectives", arrow(of.inverted_before, of.inverted_after), `of ${counted(of.total, "message")} they stand for`,
      (of.inverted_after ?? of.inverted_before) > 0 ? "bad" : "good"),
    hasMinimumDelay(summary) ? tile("too fast", arrow(messages.too_fast_before, messages.too_fast_after), "below the minimum delay", fast > 0 ? "warn" : "good") : null,
    tile("messages", formatCount(messages.total), `${counted(messages.unmatched_sends + messages.unmatched_receives, "end")} unmatched`),
    tile("events", formatCount(events), `of ${counted(summary.clocks.length, "clock")}`),
    tile("findings", formatCount(summary.diagnostics.length), weakening(severe), severe > 0 ? "warn" : "good"));
}

function quality(clock: ClockSummary, summary: Summary): string {
  if (clock.name === clock.reference) return "reference";
  const apart = clock.reference !== undefined && clock.reference !== summary.reference ? ` (relative to ${clock.reference})` : "";
  return clock.quality + apart;
}

function boundsCell(clock: ClockSummary, which: keyof Bound): Cell {
  const { bound_ns: larger, below_ns: below = larger, above_ns: above = larger } = clock;
  return cell(formatBounds(below[which], above[which]), larger[which]);
}

export function clockTable(summary: Summary): HTMLElement {
  const hasMoved = summary.clocks.some((clock) => (clock.logical?.events_moved ?? 0) > 0);
  const rows = summary.clocks.map((clock): Cell[] => [
    textCell(clock.name),
    cell(clock.offset_ns === null ? "–" : formatSigned(clock.offset_ns), clock.offset_ns),
    cell(formatPpm(clock.drift_ppm), clock.drift_ppm),
    boundsCell(clock, "best"),
    boundsCell(clock, "mean"),
    boundsCell(clock, "worst"),
    cell(quality(clock, summary), quality(clock, summary), clock.quality !== "accurate" && clock.name !== clock.reference),
    cell(formatCount(clock.events ?? 0), clock.events ?? 0),
    ...(hasMoved ? [cell(formatCount(clock.logical?.events_moved ?? 0), clock.logical?.events_moved ?? 0),
      cell(formatDuration(clock.logical?.max_advance_ns ?? 0), clock.logical?.max_advance_ns ?? 0)] : []),
    textCell(clock.reason ?? ""),
  ]);
  return sortableTable("clocks", [
    { title: "clock", isNumber: false, hint: "one per machine, or as --clock-per says" },
    { title: "offset", isNumber: true, hint: "local − global time in the middle of the trace; positive: the clock is ahead" },
    { title: "drift", isNumber: true, hint: "rate − 1; positive: the clock runs fast" },
    { title: "best bounds", isNumber: true, hint: "how far the true time can be from the corrected one, earlier and later, where that is best known" },
    { title: "mean bounds", isNumber: true, hint: "the mean of how far the true time can be from the corrected one, earlier and later" }, { title: "worst bounds", isNumber: true, hint: "how far the true time can be from the corrected one, where that is least known" },
    { title: "quality", isNumber: false, hint: "accurate: bounded on both sides; else see the reason" }, { title: "events", isNumber: true, hint: "recorded in the trace" },
    ...(hasMoved ? [{ title: "moved", isNumber: true, hint: "events that the logical clock moved" },
      { title: "at most", isNumber: true, hint: "how far the logical clock moved an event at most" }] : []),
    { title: "reason", isNumber: false, hint: "why it is not accurate" },
  ], rows);
}

/** Where no correction rests on the line of a pair, that none fits is no defect. */
export function pairQuality(summary: Summary, quality: string): Cell {
  if (summary.group === "drift-bounded" && quality === "approximate") return cell("not constant", quality);
  return cell(quality, quality, quality !== "accurate");
}

function pairTable(summary: Summary): HTMLElement {
  const corrected = isCorrected(summary);
  const hasMinimum = hasMinimumDelay(summary);
  const hasCollectives = summary.messages.of_collectives !== undefined;
  const rows = directionsOf(summary).map((d): Cell[] => {
    const { before, after, of_collectives: of } = d.direction;
    const oneByOne = d.messages - (of?.total ?? 0);
    const change = (x: number | null, y: number | null | undefined): string =>
      x === null ? "–" : corrected ? `${formatDuration(x)} → ${formatDuration(y)}` : formatDuration(x);
    return [
      textCell(`${d.from} → ${d.to}`),
      cell(formatCount(oneByOne), oneByOne),
      cell(arrow(before.inverted, after?.inverted), before.inverted, (after?.inverted ?? before.inverted) > 0),
      ...(hasCollectives ? [cell(formatCount(of?.total ?? 0), of?.total ?? 0),
        cell(arrow(of?.inverted_before ?? 0, of?.inverted_after), of?.inverted_before ?? 0, (of?.inverted_after ?? of?.inverted_before ?? 0) > 0)] : []),
      ...(hasMinimum ? [cell(arrow(before.too_fast, after?.too_fast), before.too_fast, (after?.too_fast ?? before.too_fast) > 0)] : []),
      cell(change(before.smallest_delay_ns, after?.smallest_delay_ns), after?.smallest_delay_ns ?? before.smallest_delay_ns),
      cell(change(before.median_delay_ns, after?.median_delay_ns), after?.median_delay_ns ?? before.median_delay_ns),
      ...(hasMinimum ? [cell(formatDuration(d.direction.min_delay_used_ns), d.direction.min_delay_used_ns)] : []),
      pairQuality(summary, d.quality),
      textCell(d.reason),
    ];
  });
  return sortableTable("pairs", [
    { title: "pair", isNumber: false, hint: "from sender to receiver" }, { title: "messages", isNumber: true, hint: "that were matched one by one" },
    { title: "inverted", isNumber: true, hint: "received before sent" },
    ...(hasCollectives ? [{ title: "by collectives", isNumber: true, hint: "messages that collectives stand for" },
      { title: "of these inverted", isNumber: true, hint: "received before sent" }] : []),
    ...(hasMinimum ? [{ title: "too fast", isNumber: true, hint: "faster than the minimum delay" }] : []),
    { title: "smallest delay", isNumber: true, hint: "as recorded → corrected" }, { title: "median delay", isNumber: true, hint: "as recorded → corrected" },
    ...(hasMinimum ? [{ title: "µ", isNumber: true, hint: "the minimum delay that was given or assumed" }] : []),
    { title: "quality", isNumber: false, hint: "accurate: bounded on both sides; else see the reason" }, { title: "reason", isNumber: false, hint: "why it is not accurate" },
  ], rows);
}

/** Text with `code` between backquotes and links shown by their names alone. */
export function explained(text: string): Child[] {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return plain.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** How often where, if that is known of all; else the first place. */
function placesOf(d: Diagnostic): string {
  const spread = d.spread ?? [];
  const known = spread.reduce((sum, part) => sum + part.count, 0);
  if (spread.length < 2 || known !== d.count) return d.example ?? "";
  return spread.map((part) => (known === spread.length ? part.example : `${part.example} ${formatCount(part.count)}`)).join(known === spread.length ? "; " : ", ");
}

function diagnosticsTable(summary: Origin, meanings: Record<string, string>): HTMLElement {
  if (summary.diagnostics.length === 0) return h("p", {}, "Nothing was skipped, repaired or distrusted.");
  const order = ["error", "warning", "info"];
  const sorted = [...summary.diagnostics].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return sortableTable("findings", [
    { title: "finding", isNumber: false, hint: "what was skipped, repaired or distrusted" }, { title: "severity", isNumber: false, hint: "warnings and errors weaken the result" }, { title: "count", isNumber: true, hint: "how often" },
    { title: "meaning", isNumber: false, hint: "what it says of the result" }, { title: "seen in", isNumber: false, hint: "how often in which input or the like, or where the first one is" },
  ], sorted.map((d): Cell[] => {
    const meaning = Object.hasOwn(meanings, d.name) ? meanings[d.name] : "";
    return [cell(h("code", {}, d.name), d.name), cell(d.severity, d.severity, d.severity !== "info"),
      cell(formatCount(d.count), d.count), cell(h("span", {}, ...explained(meaning)), meaning), textCell(placesOf(d))];
  }));
}

// Paths alone, where that is all the summary lists; else what was read of each.
function inputsTable(summary: Origin, meta: Meta): HTMLElement | null {
  const hashes = new Map(meta.inputs.map((input) => [input.path, input.sha256]));
  const inputs = (summary.inputs ?? meta.inputs).map((input) => (typeof input === "string" ? { path: input } : input) as InputSummary);
  if (inputs.length === 0) return null;
  const isDetailed = inputs.some((input) => input.format !== undefined);
  const details = (input: InputSummary): Cell[] => {
    const clocks = input.clocks ?? [];
    const shown = clocks.length > 8 ? `${clocks.slice(0, 8).join(", ")}, and ${clocks.length - 8} more` : clocks.join(", ");
    return [textCell(input.format ?? ""), cell(formatBytes(input.bytes ?? 0), input.bytes ?? 0),
      cell(formatCount(input.events ?? 0), input.events ?? 0), textCell(shown)];
  };
  const detailColumns = [{ title: "format", isNumber: false, hint: "recognized from the content" }, { title: "size", isNumber: true, hint: "of the file as it is stored" },
    { title: "events", isNumber: true, hint: "recorded in the trace" }, { title: "clocks", isNumber: false, hint: "whose events it holds" }];
  return sortableTable("inputs", [
    { title: "input", isNumber: false, hint: "file or folder" }, ...(isDetailed ? detailColumns : []), { title: "SHA-256", isNumber: false, hint: "of the file that was read" },
  ], inputs.map((input): Cell[] => {
    const hash = hashes.get(input.path) ?? "";
    return [textCell(input.path), ...(isDetailed ? details(input) : []),
      cell(hash === "" ? "–" : h("code", { class: "hash", title: hash }, hash), hash)];
  }));
}

export function intervalsParagraph(summary: { intervals?: Intervals | undefined }): HTMLElement | null {
  const { intervals } = summary;
  if (intervals === undefined) return null;
  const all = intervals.unchanged + intervals["up_to_0.1_percent"] + intervals.above;
  if (intervals.unchanged === all) return h("p", {}, `All ${counted(all, "interval")} between successive events of a process kept their length.`);
  return h("p", {}, `Of ${counted(all, "interval")} between successive events of a process, ` +
    `${formatCount(intervals.unchanged)} kept their length, ${formatCount(intervals["up_to_0.1_percent"])} changed by up to ` +
    `0.1\u00a0%, ${formatCount(intervals.above)} by more` +
    (intervals.max_change === null ? "." : `; the largest change is ${formatPercent(intervals.max_change)}.`));
}

/** Clocks that were set, and when. */
function stepList(summary: Summary): HTMLElement[] {
  const steps = summary.steps ?? [];
  if (steps.length === 0) return [];
  const most = 10;
  const items = steps.slice(0, most).map((step) => h("li", {}, step.text));
  if (steps.length > most) items.push(h("li", {}, `… and ${formatCount(steps.length - most)} more`));
  return [h("ul", { class: "steps" }, ...items)];
}

export function verdict(summary: Summary): HTMLElement {
  const sentences = [boundSentence(summary), truthSentence(summary), movedSentence(summary)].filter((s) => s !== "");
  return section("verdict", isCorrected(summary) ? "What was found and changed" : "What was found",
    h("p", { class: "verdict" }, orderSentence(summary)),
    tiles(summary), ...sentences.map((s) => h("p", {}, s)), ...stepList(summary), intervalsParagraph(summary));
}

export function pairs(summary: Summary): HTMLElement {
  return section("pairs", "Pairs of clocks", summary.pairs.length === 0 ? h("p", {}, "No two clocks exchanged messages.") : pairTable(summary));
}

export function findings(summary: Origin, meta: Meta): HTMLElement {
  return section("findings", "Findings", diagnosticsTable(summary, meta.meanings));
}

/** `rows` say more about how the command worked. */
export function origin(summary: Origin, meta: Meta, rows: [string, string][]): HTMLElement {
  const timing = summary.timing ?? {};
  const seconds = ["read_s", "match_s", "estimate_s", "logical_s", "write_s"].reduce((sum, key) => sum + (timing[key] ?? 0), 0);
  const inputs = inputsTable(summary, meta);
  return section("origin", "How this report was made",
    h("dl", {},
      h("dt", {}, "command"), h("dd", {}, h("code", {}, summary.command ?? "–")),
      h("dt", {}, "version"), h("dd", {}, `Syncline ${summary.syncline}`),
      ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
      h("dt", {}, "took"), h("dd", {}, `${seconds.toFixed(2)} s` +
        (timing.peak_bytes ? `, ${formatBytes(timing.peak_bytes)} of memory` : ""))),
    inputs === null ? null : h("h3", {}, "Inputs"), inputs);
}

/** How sync and check worked. */
export function methodRows(summary: Summary): [string, string][] {
  const method = [summary.group, summary.method].filter((m) => m !== undefined && m !== "").join(", ");
  return [["method", method === "" ? "–" : method], ["reference", summary.reference ?? "–"]];
}
