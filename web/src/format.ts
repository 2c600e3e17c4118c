// Numbers as people read them; the same forms as the program's text output.

const kMinus = "\u2212";
const kThin = "\u202f";
// Between a number and its unit, where lines are not to be broken.
const kSpace = "\u00a0";

/** "16 441", in groups of three digits. */
export function formatCount(count: number): string {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+(?!\d))/g, kThin);
}

/** "1 packet", "2 packets". */
export function counted(count: number, singular: string): string {
  return `${formatCount(count)} ${singular}${count === 1 ? "" : "s"}`;
}

const kUnits = [
  { name: "ns", ns: 1, digits: 0 },
  { name: "µs", ns: 1e3, digits: 1 },
  { name: "ms", ns: 1e6, digits: 3 },
  { name: "s", ns: 1e9, digits: 6 },
];

/** "574.3 µs", "−1.701260 s", "0 ns": in the unit that fits. */
export function formatDuration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return "unbounded";
  if (!Number.isFinite(ns)) return "–";
  const size = Math.abs(ns);
  const unit = kUnits.findLast((u) => size >= u.ns) ?? kUnits[0];
  const fraction = unit.ns === 1 && !Number.isInteger(ns) ? 1 : unit.digits;
  const text = `${(size / unit.ns).toFixed(fraction)}${kSpace}${unit.name}`;
  return ns < 0 ? kMinus + text : text;
}

/** "± 574.3 µs", or both sides where they differ by more than a tenth: "−3.1 µs/+574.3 µs". */
export function formatBounds(below: number | null, above: number | null): string {
  if (below === null && above === null) return "unbounded";
  if (below !== null && above !== null && Math.abs(above - below) * 10 <= Math.max(above, below)) {
    return `±${kSpace}${formatDuration(Math.max(above, below))}`;
  }
  return `${below === null ? "" : kMinus}${formatDuration(below)}/${above === null ? "" : "+"}${formatDuration(above)}`;
}

export function formatSigned(ns: number | null | undefined): string {
  const text = formatDuration(ns);
  return ns !== null && ns !== undefined && ns > 0 ? `+${text}` : text;
}

export function formatPpm(ppm: number | null | undefined): string {
  if (ppm === null || ppm === undefined) return "–";
  if (Math.abs(ppm) < 0.0005) return `0.000${kSpace}ppm`;
  return `${ppm < 0 ? kMinus : "+"}${Math.abs(ppm).toFixed(3)}${kSpace}ppm`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, "byte");
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit + 1 < units.length) {
    size /= 1024;
    ++unit;
  }
  return `${size.toFixed(1)}${kSpace}${units[unit] ?? ""}`;
}

export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  if (percent === 0) return `0${kSpace}%`;
  if (percent >= 999.5 && percent < 1e15) return `${formatCount(percent)}${kSpace}%`;
  return `${Math.abs(percent) < 0.01 ? percent.toExponential(1) : percent.toPrecision(3)}${kSpace}%`;
}

/** Seconds with all nine digits in groups, for instants: "12.345 678 901 s". */
export function formatInstant(ns: number): string {
  const rounded = Math.round(Math.abs(ns));
  const seconds = Math.floor(rounded / 1e9);
  const rest = String(rounded - seconds * 1e9).padStart(9, "0");
  const sign = ns < 0 && rounded > 0 ? kMinus : "";
  const fraction = [rest.slice(0, 3), rest.slice(3, 6), rest.slice(6)].join(kThin);
  return `${sign}${seconds}.${fraction}${kSpace}s`;
}

/** A time in ns since the epoch, exactly: as a date where it can be one, else as seconds. */
export function formatEpoch(ns: bigint): string {
  const billion = 1_000_000_000n;
  const seconds = ns < 0n ? -((-ns + billion - 1n) / billion) : ns / billion;
  const rest = String(ns - seconds * billion).padStart(9, "0");
  // Clocks that count from their start are no dates: before 1980 it is taken for such a one.
  if (seconds < 315_532_800n || seconds > 253_402_300_799n) return secondsOf(ns, billion);
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ")}.${rest} UTC`;
}

function secondsOf(ns: bigint, billion: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const rest = String(size % billion).padStart(9, "0");
  return `${ns < 0n ? kMinus : ""}${size / billion}.${rest}${kSpace}s`;
}

/** An instant without groups of zeros at its end. */
export function formatRoundInstant(ns: number): string {
  return formatInstant(ns).replace(/(\u202f000)+\u00a0s$/, kSpace + "s");
}

/** Where ticks stand: "+31.080 s", with so many digits after the point. */
export function formatTick(ns: number, digits: number): string {
  const rounded = Math.round(Math.abs(ns));
  const seconds = Math.floor(rounded / 1e9);
  const sign = rounded === 0 ? "" : ns < 0 ? kMinus : "+";
  return `${sign}${formatCount(seconds)}${fractionOf(String(rounded - seconds * 1e9).padStart(9, "0"), digits)}${kSpace}s`;
}

function fractionOf(nanoseconds: string, digits: number): string {
  return digits === 0 ? "" : `.${nanoseconds.slice(0, digits).replace(/(\d{3})(?=\d)/g, `$1${kThin}`)}`;
}

/** Whether an instant, in ns since the epoch, has a date. */
export function isDate(ns: bigint): boolean {
  return formatEpoch(ns).endsWith("UTC");
}

/** "2026-11-23 UTC" of an instant that has a date. */
export function formatDate(ns: bigint): string {
  return `${formatEpoch(ns).slice(0, 10)} UTC`;
}

/** "12:00:31.080" of an instant that has a date. */
export function formatTimeOfDay(ns: bigint, digits: number): string {
  const text = formatEpoch(ns);
  return text.slice(11, 19) + fractionOf(text.slice(20, 29), digits);
}

/** "574.312 µs": in the unit that fits, to the nanosecond. */
export function formatExact(ns: number): string {
  const size = Math.round(Math.abs(ns));
  const unit = kUnits.findLast((u) => size >= u.ns) ?? kUnits[0];
  const digits = Math.round(Math.log10(unit.ns));
  const whole = Math.floor(size / unit.ns);
  const rest = digits === 0 ? "" : `.${String(size - whole * unit.ns).padStart(digits, "0").replace(/(\d{3})(?=\d)/g, `$1${kThin}`)}`;
  return `${ns < 0 && size > 0 ? kMinus : ""}${whole}${rest}${kSpace}${unit.name}`;
}

/** With so many digits after the point; 0 has no sign. */
export function numberText(value: number, digits: number): string {
  const text = value.toFixed(Math.min(digits, 12));
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", kMinus);
}
