// Axes of durations: one unit for all ticks.

import { ticksOf } from "../diagram/viewport";

export interface Axis { low: number; high: number; unit: string; ticks: { at: number; text: string }[] }

const kUnits: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

export function durationAxis(low: number, high: number, wanted: number): Axis {
  if (!(high > low)) { low -= 1; high = low + 2; }
  const { values, step } = ticksOf(low, high, wanted);
  const most = Math.max(Math.abs(low), Math.abs(high));
  const [ns, unit] = kUnits.find(([size]) => size <= most * 0.999 && size <= step * 1000) ?? [1, "ns"];
  const digits = Math.max(0, Math.round(-Math.log10(step / ns) + 0.35));
  return { low, high, unit, ticks: values.map((at) => ({ at, text: numberText(at / ns, digits) })) };
}

export function numberAxis(low: number, high: number, wanted: number, unit: string): Axis {
  if (!(high > low)) { low -= 1; high = low + 2; }
  const { values, step } = ticksOf(low, high, wanted);
  const digits = Math.max(0, Math.round(-Math.log10(step) + 0.35));
  return { low, high, unit, ticks: values.map((at) => ({ at, text: numberText(at, digits) })) };
}

function numberText(value: number, digits: number): string {
  const text = value.toFixed(Math.min(digits, 12));
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}
