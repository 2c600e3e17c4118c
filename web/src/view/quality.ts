// Delays before and after, and what the logical clock did.

import type { TimelineMeta } from "../data/meta";
import type { Summary } from "../data/summary";
import { delayOf, State, stateOfDelay, type Trace } from "../data/trace";
import { h, menu, section } from "../dom";
import { durationAxis } from "../figures/axis";
import { drawPlot, rangeOf, type Plot, type Series } from "../figures/plot";
import { counted } from "../format";
import { Figure, tableOf } from "./clocks";
import { definitions, logicalOverTime, logicalRows } from "./logical";

const kBins = 90;

interface Direction { from: number; to: number; messages: number[] }

function directions(trace: Trace): Direction[] {
  const found = new Map<number, Direction>();
  const { messages, lanes } = trace;
  for (let m = 0; m < messages.count; ++m) {
    if (messages.isCollective[m] === 1) continue;
    const from = lanes[messages.from[m]].clock;
    const to = lanes[messages.to[m]].clock;
    const key = from * trace.clockNames.length + to;
    const direction = found.get(key) ?? { from, to, messages: [] };
    direction.messages.push(m);
    found.set(key, direction);
  }
  return [...found.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Bins of equal width over 99 % of the values; what is above them is counted apart. */
export function histogram(values: number[]): { edges: number[]; counts: number[]; beyond: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const last = sorted[sorted.length - 1] ?? 1;
  const most = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 1;
  // A long tail would leave one bar of everything.
  const high = last - low > 3 * (most - low) && most > low ? low + (most - low) * 1.1 : last;
  const width = Math.max((high - low) / kBins, 1e-3);
  const counts = new Array<number>(kBins).fill(0);
  let beyond = 0;
  for (const value of sorted) {
    if (value > high) { ++beyond; continue; }
    const bin = Math.min(kBins - 1, Math.floor((value - low) / width));
    counts[bin] += 1;
  }
  return { edges: Array.from({ length: kBins + 1 }, (_, i) => low + i * width), counts, beyond };
}

function delayPlot(trace: Trace, direction: Direction, share: number, title: string): { plot: Plot; beyond: number } {
  const values = direction.messages.map((m) => delayOf(trace, m, share));
  const { edges, counts, beyond } = histogram(values);
  const minimum = trace.messages.minimumDelay[direction.messages[0]];
  const part = (state: State): (number | null)[] =>
    counts.map((n, i) => (stateOfDelay((edges[i] + edges[i + 1]) / 2, minimum) === state ? n : null));
  const bars = (label: string, color: string, state: State): Series => {
    const y = part(state);
    return { label: y.some((n) => n !== null && n > 0) ? label : "", color, kind: "bars", x: edges, y };
  };
  const most = rangeOf(counts)?.[1] ?? 1;
  const ends: [number, number] = [Math.min(edges[0], share === 1 ? 0 : edges[0]), edges[kBins]];
  const y = { low: 0, high: most * 1.08, unit: "", ticks: countTicks(most) };
  return { beyond, plot: {
    title, xLabel: "delay", yLabel: "messages", width: 560, height: 210, x: durationAxis(ends[0], ends[1], 5), y,
    series: [bars("in order", "var(--message)", State.fine), bars("too fast", "var(--fast)", State.tooFast),
      bars("inverted", "var(--inverted)", State.inverted)],
    marks: minimum > 0 && minimum >= ends[0] && minimum <= ends[1] ? [{ at: minimum, text: "µ" }] : [] } };
}

function countTicks(most: number): { at: number; text: string }[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => most / s <= 5) ?? power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => ({ at: i * step, text: String(i * step) }));
}

function delaysFigure(trace: Trace): HTMLElement | null {
  const all = directions(trace);
  if (all.length === 0) return null;
  const before = new Figure("delays-recorded");
  const after = new Figure("delays-corrected");
  const choose = (number: number): void => {
    const direction = all[number];
    const name = `${trace.clockNames[direction.from] ?? ""} → ${trace.clockNames[direction.to] ?? ""}`;
    ([[before, 0, "recorded"], [after, 1, "corrected"]] as const).forEach(([figure, share, word]) => {
      const { plot, beyond } = delayPlot(trace, direction, share, `Delays ${name}, ${word}`);
      figure.show(drawPlot(plot), `${counted(direction.messages.length, "message")} ${name}, ${word}` +
        (beyond > 0 ? `; ${beyond} slower ones are outside of the picture.` : "."), () => tableOf(plot.series));
    });
  };
  const names = all.map((d) => `${trace.clockNames[d.from] ?? ""} → ${trace.clockNames[d.to] ?? ""}`);
  const direction = menu("direction", names, choose);
  choose(0);
  return h("div", {}, h("div", { class: "toolbar" }, direction), h("div", { class: "two" }, before.element, after.element));
}

export function quality(trace: Trace, summary: Summary, timeline: TimelineMeta | null): HTMLElement {
  const { logical } = summary;
  const part = trace.window === null ? null : h("p", { class: "notice" }, "Of the messages that this report holds.");
  return section("quality", "Delays, before and after", part, delaysFigure(trace),
    ...(logical === undefined ? [] : [h("h3", {}, "Logical clock"), definitions(logicalRows(logical))]),
    ...(logical === undefined || timeline === null ? [] : logicalOverTime(timeline, logical)));
}
