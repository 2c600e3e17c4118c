// The report of the filter: what the logical clock found in a trace, and what it did.

import type { Filtered, Protocol } from "../data/filtered";
import type { Meta } from "../data/meta";
import { titlesOf } from "../data/summary";
import { h, section } from "../dom";
import { plotHint } from "../figures/figure";
import { counted, formatCount, formatDuration, formatPercent } from "../format";
import { definitions, keptShare, logicalOverTime, logicalRows } from "./logical";
import { cell, sortableTable, textCell, type Cell } from "./table";
import { arrow, findings, intervalsParagraph, orderSentence, origin, tile, weakening } from "./verdict";

/** What to do another time; empty: nothing. */
export function adviceSentences(protocol: Protocol): string[] {
  const sentences = [];
  const { advice, clock_difference_exceeded_at: place, half_round_trip: trips } = protocol;
  if (advice.clock_difference_ns !== null && place !== null) {
    sentences.push(`The clocks differed by up to ${formatDuration(protocol.largest_clock_difference_ns)}, more than the ` +
      `${formatDuration(protocol.start_clock_difference_ns)} that were expected, first at event ${formatCount(place.event)} of ${titlesOf(protocol.processes)(place.process)}: ` +
      `give --clock-difference ${advice.clock_difference_ns} for similar traces.`);
  }
  if (advice.min_delay_ns !== null && trips !== null) {
    sentences.push(`Half of the least round trips of ${counted(trips.pairs, "pair")} take ${formatDuration(trips.min_ns)} at least, ` +
      `${formatDuration(trips.max_ns)} at most: give --min-delay ${advice.min_delay_ns} for similar traces.`);
  }
  return sentences;
}

/** Nothing is, where no minimum delay was given. */
function hasTooFast({ messages }: Filtered): boolean {
  return messages.too_fast_before + (messages.too_fast_after ?? 0) > 0;
}

function tiles(filtered: Filtered): HTMLElement {
  const { messages, logical, intervals } = filtered;
  const fast = messages.too_fast_after ?? 0;
  const severe = filtered.diagnostics.filter((d) => d.severity !== "info").length;
  return h("div", { class: "tiles" },
    tile("inverted messages", arrow(messages.inverted_before, messages.inverted_after), "received before sent", (messages.inverted_after ?? 0) > 0 ? "bad" : "good"),
    hasTooFast(filtered) ? tile("too fast", arrow(messages.too_fast_before, messages.too_fast_after), "below the minimum delay", fast > 0 ? "warn" : "good") : null,
    tile("events moved", formatCount(logical.events_moved), `of ${formatCount(logical.events)} in ${counted(logical.processes.length, "process").replace("processs", "processes")}`),
    tile("intervals kept", formatPercent(keptShare(intervals)), "as they were recorded"),
    tile("findings", formatCount(filtered.diagnostics.length), weakening(severe), severe > 0 ? "warn" : "good"));
}

function largestChange(filtered: Filtered): string {
  const { largest, max_change: change } = filtered.intervals;
  return largest === null ? "" : `The interval before event ${formatCount(largest.event)} of ${titlesOf(filtered.logical.processes)(largest.process)} changed most, by ` +
    `${formatPercent(change ?? 0)}: ${formatDuration(largest.original_ns)} became ${formatDuration(largest.corrected_ns)}.`;
}

function processTable(protocol: Protocol): HTMLElement {
  return sortableTable("processes", [
    { title: "process", isNumber: false, hint: "as the trace names it" }, { title: "events", isNumber: true, hint: "recorded in the trace" }, { title: "moved", isNumber: true, hint: "events that the logical clock moved" },
    { title: "moved by at most", isNumber: true, hint: "how far the logical clock moved one of its events" }, { title: "at its end", isNumber: true, hint: "corrected − recorded time of its last event" },
    { title: "least interval", isNumber: true, hint: "between successive events, as recorded; negative: its times go back" },
  ], protocol.processes.map((p): Cell[] => [textCell(p.title ?? p.name), cell(formatCount(p.events), p.events), cell(formatCount(p.moved), p.moved),
    cell(formatDuration(p.largest_advance_ns), p.largest_advance_ns), cell(formatDuration(p.last_advance_ns), p.last_advance_ns),
    cell(p.least_interval_ns === null ? "–" : formatDuration(p.least_interval_ns), p.least_interval_ns)]));
}

function directionTable(protocol: Protocol, isFastTold: boolean): HTMLElement {
  const change = (x: number | null, y: number | null): string => (x === null ? "–" : `${formatDuration(x)} → ${formatDuration(y)}`);
  return sortableTable("pairs", [
    { title: "pair", isNumber: false, hint: "from sender to receiver" }, { title: "messages", isNumber: true, hint: "that were matched" }, { title: "inverted", isNumber: true, hint: "received before sent" },
    ...(isFastTold ? [{ title: "too fast", isNumber: true, hint: "faster than the minimum delay" }] : []), { title: "smallest delay", isNumber: true, hint: "as recorded → corrected" }, { title: "median delay", isNumber: true, hint: "as recorded → corrected" },
  ], protocol.directions.map((d): Cell[] => [textCell(`${d.from} → ${d.to}`), cell(formatCount(d.messages), d.messages),
    cell(arrow(d.before.inverted, d.after.inverted), d.before.inverted, d.after.inverted > 0),
    ...(isFastTold ? [cell(arrow(d.before.too_fast, d.after.too_fast), d.before.too_fast, d.after.too_fast > 0)] : []),
    cell(change(d.before.smallest_delay_ns, d.after.smallest_delay_ns), d.after.smallest_delay_ns),
    cell(change(d.before.median_delay_ns, d.after.median_delay_ns), d.after.median_delay_ns)]));
}

function streamRows(protocol: Protocol): [string, string][] {
  const { collectives, online } = protocol;
  const rows: [string, string][] = [["held at once", `${formatCount(protocol.peak_buffered_events)} events at most`]];
  if (collectives.ends > 0) {
    rows.push(["ends of collectives", `${formatCount(collectives.ends)}, of which ${formatCount(collectives.violated_before)} came before a begin ` +
      `they waited for, and after correction ${formatCount(collectives.violated_after)}`]);
  }
  if (protocol.given_up > 0) {
    rows.push(["no longer waited for", `${counted(protocol.given_up, "partner")}; ${formatCount(protocol.late_partners)} came after all, ` +
      `${formatCount(protocol.broken)} of them too early`]);
  }
  if (online !== undefined) {
    rows.push(["added delay", `${formatDuration(online.median_added_delay_at_most_ns)} at most for half of the events, ${formatDuration(online.max_added_delay_ns)} for all`]);
  }
  return rows;
}

export function filterSections(filtered: Filtered, meta: Meta): (HTMLElement | null)[] {
  const { logical } = filtered;
  const sentences = [largestChange(filtered), ...adviceSentences(logical)].filter((s) => s !== "");
  const overTime = meta.timeline === null ? [] : logicalOverTime(meta.timeline, logical);
  return [
    section("verdict", "What was found and changed", h("p", { class: "verdict" }, orderSentence(filtered)), tiles(filtered),
      intervalsParagraph(filtered), ...sentences.map((s) => h("p", {}, s))),
    section("clock", "The logical clock", definitions([...logicalRows(logical), ...streamRows(logical)]), h("h3", {}, "Processes"), processTable(logical)),
    overTime.length === 0 ? null : section("quality", "Over time", plotHint(), ...overTime),
    section("pairs", "Pairs of clocks", logical.directions.length === 0 ? h("p", {}, "No two clocks exchanged messages.") : directionTable(logical, hasTooFast(filtered))),
    findings(filtered, meta), origin(filtered, meta, []),
  ];
}
