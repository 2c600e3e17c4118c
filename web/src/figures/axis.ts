// Axes: what they measure, where ticks stand in any range of them, and how a value is said.

import { ticksOf } from "../diagram/viewport";
import { formatCount, formatExact, formatRoundInstant, numberText } from "../format";

// Far from 0, a round number just below `low`, from which ticks count; else 0.
function baseOf(low: number, step: number): number {
  return Math.abs(low) > 1000 * step ? Math.floor(low / (100 * step)) * 100 * step : 0;
}

export interface Ticks { values: number[]; texts: string[]; unit: string }

export interface Axis {
  label: string;
  /** The range at first, and the shortest that says anything. */
  low: number;
  high: number;
  least: number;
  /** About `wanted` ticks; all have one unit. */
  ticks: (low: number, high: number, wanted: number) => Ticks;
  /** Exactly. */
  text: (value: number) => string;
}

/** With the unit of its ticks. */
export function labelOf(axis: Axis, unit: string): string {
  return unit === "" ? axis.label : `${axis.label} (${unit})`;
}

const kUnits: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const kDeepest = 1e-6; // of the range at first, where nothing says what the shortest is

function ranged(low: number, high: number): { low: number; high: number } {
  return high > low ? { low, high } : { low: low - 1, high: low + 1 };
}

function digitsOf(step: number): number {
  return Math.max(0, Math.round(-Math.log10(step) + 0.35));
}

// Far from 0, ticks count from a round number, which is said with the unit.
function durationTicks(low: number, high: number, wanted: number): Ticks {
  const { values, step } = ticksOf(low, high, wanted);
  const base = baseOf(low, step);
  const most = Math.max(Math.abs(low - base), Math.abs(high - base));
  const [ns, unit] = kUnits.find(([size]) => size <= most * 0.999 && size <= step * 1000) ?? [1, "ns"];
  return { values, texts: values.map((at) => numberText((at - base) / ns, digitsOf(step / ns))),
    unit: base === 0 ? unit : `${unit} beyond ${formatRoundInstant(base)}` };
}

/** Nanoseconds. */
export function durationAxis(label: string, low: number, high: number): Axis {
  return { label, ...ranged(low, high), least: 20, ticks: durationTicks, text: formatExact };
}

export function numberAxis(label: string, low: number, high: number, unit: string): Axis {
  const range = ranged(low, high);
  return { label, ...range, least: (range.high - range.low) * kDeepest,
    ticks: (from, to, wanted) => {
      const { values, step } = ticksOf(from, to, wanted);
      return { values, texts: values.map((at) => numberText(at, digitsOf(step))), unit };
    },
    text: (value) => `${numberText(value, digitsOf((range.high - range.low) / 1e5))}${unit === "" ? "" : `\u00a0${unit}`}` };
}

/** Whole numbers from 0. */
export function countAxis(label: string, high: number): Axis {
  return { label, ...ranged(0, high), least: 2,
    ticks: (from, to, wanted) => {
      const { values } = ticksOf(from, to, Math.min(wanted, to - from));
      return { values, texts: values.map(formatCount), unit: "" };
    },
    text: formatCount };
}

/** Shares from the least to the largest positive value by powers of ten; values are their logarithms. */
export function logarithmicAxis(label: string, shares: number[]): Axis {
  const logarithms = shares.filter((share) => share > 0).map(Math.log10);
  const low = Math.floor(logarithms.reduce((a, b) => Math.min(a, b), logarithms[0] ?? -3));
  const high = Math.max(Math.ceil(logarithms.reduce((a, b) => Math.max(a, b), logarithms[0] ?? 0)), low + 1);
  return { label, low, high, least: 0.01,
    ticks: (from, to, wanted) => {
      const { values } = ticksOf(from, to, wanted);
      const whole = values.filter(Number.isInteger);
      const shown = whole.length > 1 ? whole : values;
      return { values: shown, texts: shown.map((power) => shortPercent(10 ** power)), unit: "" };
    },
    text: (value) => shortPercent(10 ** value) };
}

function shortPercent(share: number): string {
  const percent = share * 100;
  if (percent < 1e-3 || percent >= 1e6) return powerOfTen(percent);
  return `${Number(percent.toPrecision(3)).toString()} %`;
}

function powerOfTen(percent: number): string {
  const [digits, power] = percent.toExponential(1).split("e");
  const factor = digits === "1.0" ? "" : `${digits}·`;
  const raised = power.replace("+", "").split("").map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)])).join("");
  return `${factor}10${raised} %`;
}
