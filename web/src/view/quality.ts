// Delays before and after, and what the logical clock did.

import type { TimelineMeta } from "../data/meta";
import type { Summary } from "../data/summary";
import { delayOf, State, stateOfDelay, type Trace } from "../data/trace";
import { h, menu, section } from "../dom";
import { countAxis, durationAxis } from "../figures/axis";
import { Figure, plotHint } from "../figures/figure";
import { columns } from "../figures/parts";
import { rangeOf, type Plot, type Series } from "../figures/plot";
import { counted } from "../format";
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
  const part = (state: State): number[] =>
    counts.map((n, i) => (stateOfDelay((edges[i] + edges[i + 1]) / 2, minimum) === state ? n : 0));
  const bars = (label: string, color: string, state: State): Series => {
    const y = part(state);
    return columns(y.some((n) => n > 0) ? label : "", color, edges, y);
  };
  const most = rangeOf(counts)?.[1] ?? 1;
  const ends: [number, number] = [Math.min(edges[0], share === 1 ? 0 : edges[0]), edges[kBins]];
  const mark: Series = { label: "µ, the minimum delay", color: "var(--accent)", kind: "line", dashed: true, width: 1.5,
    x: [minimum, minimum], y: [0, most * 1.08] };
  return { beyond, plot: {
    title, width: 560, height: 210, x: durationAxis("delay", ends[0], ends[1]), y: countAxis("messages", most * 1.08),
    series: [bars("in order", "var(--message)", State.fine), bars("too fast", "var(--fast)", State.tooFast),
      bars("inverted", "var(--inverted)", State.inverted),
      ...(minimum > 0 && minimum >= ends[0] && minimum <= ends[1] ? [mark] : [])] } };
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
      figure.plot(plot, `${counted(direction.messages.length, "message")} ${name}, ${word}` +
        (beyond > 0 ? `; ${beyond} slower ones are outside of the picture.` : "."));
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
  return section("quality", "Delays, before and after", part, plotHint(), delaysFigure(trace),
    ...(logical === undefined ? [] : [h("h3", {}, "Logical clock"), definitions(logicalRows(logical))]),
    ...(logical === undefined || timeline === null ? [] : logicalOverTime(timeline, logical)));
}
