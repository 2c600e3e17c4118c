// Clocks over time: how they drift, what bounds their corrections, and the corridor of a pair.

import type { ClockMeta, CorridorMeta } from "../data/meta";
import type { Summary } from "../data/summary";
import type { Trace } from "../data/trace";
import { menu, section } from "../dom";
import { durationAxis, numberAxis } from "../figures/axis";
import { Figure, plotHint } from "../figures/figure";
import { kColors, rangeOf, widened, type Plot, type Series } from "../figures/plot";
import { counted, formatCount, formatPpm } from "../format";
import { clockTable } from "./verdict";

const kMostLines = 8;
// Plots over the time of the trace.
const kGroup = "clocks";

function timeAxis(trace: Trace): Plot["x"] {
  return durationAxis("time", 0, trace.duration);
}

/** Time since the trace's first event, of a clock's reading. */
function globalTimes(trace: Trace, clock: number): number[] {
  const meta = trace.meta.clocks[clock];
  const start = startOf(trace, clock);
  return meta.since.map((since, i) => start + since - meta.offset[i]);
}

/** When its first reading was taken, since the trace's first event. */
function startOf(trace: Trace, clock: number): number {
  const meta = trace.meta.clocks[clock];
  return Number(BigInt(meta.origin) - BigInt(meta.start) - trace.origin);
}

// The clocks that differ most stand out; many others would hide them.
function driftPlot(trace: Trace): { plot: Plot; left: number } {
  const drifts = trace.meta.clocks.map((clock, number) => {
    const y = clock.offset;
    const range = rangeOf(y) ?? [0, 0];
    return { number, y, reach: Math.max(Math.abs(range[0]), Math.abs(range[1])) };
  }).filter((d) => d.y.length > 0);
  const shown = [...drifts].sort((a, b) => b.reach - a.reach).slice(0, kMostLines);
  const others = drifts.filter((d) => !shown.includes(d));
  const line = (d: { number: number; y: number[] }, color: string, label: string): Series => ({
    label, color, kind: "line", x: globalTimes(trace, d.number), y: d.y, opacity: label === "" ? 0.5 : 1 });
  const series = [
    ...others.map((d) => line(d, "var(--faint)", "")),
    ...shown.sort((a, b) => a.number - b.number).map((d, i) => line(d, kColors[i % kColors.length], trace.clockNames[d.number] ?? "")),
  ];
  const range = widened(rangeOf(...series.map((s) => s.y)) ?? [-1, 1]);
  return { plot: { title: "Offset of each clock since its start", x: timeAxis(trace),
    y: durationAxis("offset since the start", range[0], range[1]), series }, left: others.length };
}

// The tube of possible offsets and the correction in it, less the straight line through the correction's ends: a clock's
// rate would hide everything else. A later true time is a smaller offset.
function tubePlot(trace: Trace, clock: number): Plot {
  const meta = trace.meta.clocks[clock];
  const x = globalTimes(trace, clock);
  const last = x.length - 1;
  const rate = meta.offset[last] / Math.max(1, x[last] - x[0]);
  const y = meta.offset.map((offset, i) => offset - rate * (x[i] - x[0]));
  const side = (bound: (number | null)[]): (number | null)[] => bound.map((b, i) => (b === null ? null : y[i] - b));
  const [most, least] = [side(meta.lower), side(meta.upper)];
  const { since, difference } = meta.broadcasts;
  // Offsets change by parts in a million: the first is near enough for a place on the axis.
  const heard = since.map((s) => startOf(trace, clock) + s);
  const thought = difference.map((d, i) => valueAt(x, y, heard[i]) - d);
  // Few broadcasts are very late in one place.
  const usual = thought.length === 0 ? [] : [quantile(thought, 0.05), quantile(thought, 0.95)];
  const range = widened(rangeOf(most, least, usual, y) ?? [-1, 1]);
  const isOpen = meta.lower.includes(null) || meta.upper.includes(null);
  const series: Series[] = [
    ...(isOpen ? [] : [{ label: "possible offsets", color: "var(--accent)", kind: "band" as const, x, y: least, to: most, opacity: 0.22 }]),
    { label: since.length === 0 ? "" : "broadcasts", color: "var(--muted)", kind: "points", x: heard, y: thought, opacity: 0.7 },
    { label: "largest offset", color: "var(--backward)", kind: "line", x, y: most },
    { label: "smallest offset", color: "var(--forward)", kind: "line", x, y: least },
    { label: "correction", color: "var(--text)", kind: "line", x, y, width: 2 },
  ];
  return { title: `Clock ${trace.clockNames[clock] ?? ""}: where its offset can be, and its correction`, x: timeAxis(trace),
    y: durationAxis(`offset, less ${formatPpm(rate * 1e6)}`, range[0], range[1]), series };
}

function valueAt(x: number[], y: number[], at: number): number {
  const after = x.findIndex((t) => t >= at);
  if (after <= 0) return y[after < 0 ? y.length - 1 : 0];
  const share = (at - x[after - 1]) / Math.max(1, x[after] - x[after - 1]);
  return y[after - 1] + (y[after] - y[after - 1]) * share;
}

function broadcastText(total: number, shown: number): string {
  if (total === 0) return "";
  const choice = shown < total ? `, ${formatCount(shown)} of them shown` : "";
  return ` Points are ${counted(total, "broadcast")} that the reference received too${choice}: had they reached both at once, these were the truth.`;
}

/** Stretches that do not touch have a gap between them: a step is no rate. */
export function rateSeries({ since, until, drift_ppm: drift }: ClockMeta["rates"]): { x: number[]; y: (number | null)[] } {
  const x: number[] = [];
  const y: (number | null)[] = [];
  since.forEach((from, i) => {
    x.push(from);
    y.push(drift[i]);
    const isLast = i + 1 === since.length;
    if (isLast || since[i + 1] > until[i]) x.push(until[i]);
    if (!isLast && since[i + 1] > until[i]) y.push(null);
  });
  return { x, y };
}

function ratePlot(trace: Trace, clock: number): Plot {
  const series = rateSeries(trace.meta.clocks[clock].rates);
  const range = widened(rangeOf(series.y) ?? [-1, 1], 0.15);
  return { title: `Rate of clock ${trace.clockNames[clock] ?? ""} over time`, x: timeAxis(trace),
    y: numberAxis("rate − 1", range[0], range[1], "ppm"), height: 170,
    series: [{ label: "rate − 1", color: kColors[0], kind: "line", ...series, isStepped: true }] };
}

interface Cloud { x: number[]; y: number[] }

// Messages as points of the plane of two clocks, less the pair's line.
function cloudOf(trace: Trace, corridor: CorridorMeta, from: number, to: number): Cloud {
  const origins = trace.meta.clocks.map((clock) => Number(BigInt(clock.origin) - trace.origin));
  const { lanes, messages } = trace;
  const cloud: Cloud = { x: [], y: [] };
  for (let m = 0; m < messages.count; ++m) {
    const send = lanes[messages.from[m]];
    const receive = lanes[messages.to[m]];
    if (send.clock !== from || receive.clock !== to) continue;
    const sent = send.recorded[messages.send[m]];
    const received = receive.recorded[messages.receive[m]];
    const isForward = from === corridor.a;
    const x = (isForward ? sent : received) - origins[corridor.a];
    const y = (isForward ? received : sent) - origins[corridor.b];
    cloud.x.push(x);
    cloud.y.push(y - corridor.y - (x - corridor.x) - (x - corridor.x) * corridor.drift);
  }
  return cloud;
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function corridorPlot(trace: Trace, corridor: CorridorMeta): { plot: Plot; outside: number } {
  const [a, b] = [trace.clockNames[corridor.a] ?? "", trace.clockNames[corridor.b] ?? ""];
  const forward = cloudOf(trace, corridor, corridor.a, corridor.b);
  const backward = cloudOf(trace, corridor, corridor.b, corridor.a);
  // What is far above the quickest messages says nothing about the clocks.
  const bounds = rangeOf(corridor.lower, corridor.upper, corridor.chosen) ?? [-1, 1];
  const isBounded = rangeOf(corridor.lower, corridor.upper) !== null;
  const room = isBounded ? Math.max(bounds[1] - bounds[0], 1) : Infinity;
  const top = forward.y.length === 0 ? bounds[1] : Math.max(bounds[1], Math.min(quantile(forward.y, 0.98), bounds[1] + room));
  const bottom = backward.y.length === 0 ? bounds[0] : Math.min(bounds[0], Math.max(quantile(backward.y, 0.02), bounds[0] - room));
  const [low, high] = widened([bottom, top]);
  const outside = [...forward.y, ...backward.y].filter((y) => y < low || y > high).length;
  const right = corridor.since[corridor.since.length - 1] ?? 1;
  const points = (cloud: Cloud, label: string, color: string): Series => {
    return { label: cloud.x.length === 0 ? "" : label, color, kind: "points", ...cloud, opacity: 0.45 };
  };
  return { outside, plot: {
    title: `Corridor of clocks ${a} and ${b}`, height: 300,
    x: durationAxis(`time of ${a}`, 0, right), y: durationAxis(`${b}, less the trend`, low, high),
    series: [
      { label: isBounded ? "corridor" : "", color: "var(--accent)", kind: "band", x: corridor.since, y: corridor.lower, to: corridor.upper, opacity: 0.15 },
      points(forward, `messages ${a} → ${b}`, "var(--forward)"), points(backward, `messages ${b} → ${a}`, "var(--backward)"),
      { label: isBounded ? "upper bound" : "", color: "var(--forward)", kind: "line", x: corridor.since, y: corridor.upper, width: 1.4 },
      { label: isBounded ? "lower bound" : "", color: "var(--backward)", kind: "line", x: corridor.since, y: corridor.lower, width: 1.4 },
      { label: "correction", color: "var(--text)", kind: "line", x: corridor.since, y: corridor.chosen, width: 2 },
    ] } };
}

function showDrift(trace: Trace): Figure {
  const figure = new Figure("offsets", kGroup);
  const { plot, left } = driftPlot(trace);
  figure.plot(plot, "How far each clock has moved away from where it was at its first event (positive: it runs fast). " +
    "A straight line is a constant rate." + (left > 0 ? ` The ${left} clocks that drift least are grey.` : ""));
  return figure;
}

function showTube(trace: Trace, summary: Summary): HTMLElement[] {
  const choices = trace.meta.clocks.flatMap((clock, i) =>
    clock.since.length > 1 && trace.clockNames[i] !== summary.reference ? [i] : [])
    // The most telling first: what bends most.
    .sort((a, b) => trace.meta.clocks[b].rates.since.length - trace.meta.clocks[a].rates.since.length);
  if (choices.length === 0) return [];
  const rates = new Figure("rates", kGroup);
  const choose = (number: number): void => {
    const clock = choices[number];
    const meta = trace.meta.clocks[clock];
    const plot = tubePlot(trace, clock);
    const open = [meta.lower, meta.upper].filter((side) => side.every((v) => v === null)).length;
    bounds.plot(plot, "The clock's offset lies within the colored tube: every message puts a limit to it, and between messages the tube widens as " +
      "fast as rates may differ. The line in it is the correction; a straight trend is taken off both." + ["", " Messages go one way only: one side is open.", " Nothing bounds it on the reference's time."][open]
      + broadcastText(meta.broadcasts.total, meta.broadcasts.since.length));
    rates.plot(ratePlot(trace, clock), "How fast the clock runs against the reference, by stretches of one rate. Gaps are where it was set.");
    rates.element.hidden = meta.rates.since.length < 2;
  };
  const bounds = new Figure("bounds", kGroup, menu("clock", choices.map((i) => trace.clockNames[i] ?? ""), choose));
  choose(0);
  return [bounds.element, rates.element];
}

function showCorridor(trace: Trace): HTMLElement | null {
  const { corridors, corridors_left_out: left } = trace.meta;
  if (corridors.length === 0) return null;
  const choose = (number: number): void => {
    const corridor = corridors[number];
    const { plot, outside } = corridorPlot(trace, corridor);
    figure.plot(plot, "Every message puts a limit: the conversion between the two clocks passes below the messages one way and above " +
      "those the other way. The line of this pair is taken off, so that microseconds can be seen." +
      (trace.window === null ? "" : " Points are the messages that this report holds, the bounds those of all.") +
      (outside > 0 ? ` ${counted(outside, "slow message")} lie outside of the picture.` : "") +
      (left > 0 ? ` Corridors of ${counted(left, "more pair")} are left out.` : ""));
  };
  const names = corridors.map((c) => `${trace.clockNames[c.a] ?? ""} and ${trace.clockNames[c.b] ?? ""}`);
  const figure = new Figure("corridor", null, menu("pair", names, choose));
  choose(0);
  return figure.element;
}

export function clocks(trace: Trace | null, summary: Summary): HTMLElement {
  return section("clocks", "Clocks", clockTable(summary), ...(trace === null ? [] :
    [plotHint(), ...showTube(trace, summary), showDrift(trace).element, showCorridor(trace)]));
}
