// The summary as the page uses it: a part of docs/summary.md.

export interface Bound { best: number | null; mean: number | null; worst: number | null }
export interface Delays {
  inverted: number;
  too_fast: number;
  smallest_delay_ns: number | null;
  median_delay_ns: number | null;
}
export interface Direction { min_delay_used_ns: number; before: Delays; after?: Delays; of_collectives?: OfCollectives }
export interface ClockSummary {
  name: string;
  quality: string;
  reference?: string;
  reason?: string;
  events?: number;
  drift_ppm: number | null;
  offset_ns: number | null;
  bound_ns: Bound;
  /** From the corrected time to the earliest and to the latest true one; none in summaries of earlier versions. */
  below_ns?: Bound;
  above_ns?: Bound;
  unbounded_share?: number;
  worst_where_bounded_ns?: number | null;
  /** By how much bounds let the clock's rate differ from the reference's at any time; null: by a constant. */
  rate_limit_ppm?: number | null;
  logical?: { max_advance_ns: number; events_moved: number };
}
export interface PairSummary {
  a: string;
  b: string;
  messages_ab: number;
  messages_ba: number;
  quality: string;
  reason?: string;
  ab?: Direction;
  ba?: Direction;
}
export interface Diagnostic { name: string; severity: string; count: number; example?: string; spread?: { example: string; count: number }[] }
export interface InputSummary { path: string; format?: string; bytes?: number; events?: number; clocks?: string[] }
/** Messages that collectives stand for. */
export interface OfCollectives {
  total: number;
  inverted_before: number;
  inverted_after?: number;
}
export interface Messages {
  total: number;
  unmatched_sends: number;
  unmatched_receives: number;
  inverted_before: number;
  inverted_after?: number;
  too_fast_before: number;
  too_fast_after?: number;
  suspects?: number;
  of_collectives?: OfCollectives;
}
export interface Intervals {
  unchanged: number;
  "up_to_0.1_percent": number;
  above: number;
  mean_change: number | null;
  max_change: number | null;
}
export interface Place { process: string; event: number }
/** What the JSON tells of processes by their names in the trace; no titles in that of earlier versions. */
export interface Named { name: string; title?: string }

/** What people call each process, by its name in the trace. */
export function titlesOf(processes: readonly Named[]): (name: string) => string {
  const titles = new Map(processes.map((p) => [p.name, p.title ?? p.name]));
  return (name) => titles.get(name) ?? name;
}

export interface Logical {
  clock: string;
  controller: string;
  events: number;
  events_moved: number;
  largest_clock_difference_ns: number;
  controllers: { events: Record<string, number>; smallest_gamma: number | null; smallest_gamma_at?: Place | null };
  amortization: { jumps: number; amortized: number; largest_slope: number; largest_slope_at?: Place | null };
  processes: Named[];
}
/** What the JSON of every command tells. */
export interface Origin {
  syncline: string;
  command?: string;
  /** concurrency lists paths alone, filter nothing. */
  inputs?: (InputSummary | string)[];
  diagnostics: Diagnostic[];
  timing?: Record<string, number>;
}
export interface Summary extends Origin {
  inputs: InputSummary[];
  reference?: string;
  group?: string;
  method?: string;
  clocks: ClockSummary[];
  pairs: PairSummary[];
  messages: Messages;
  /** Clocks that were set. */
  steps?: { clock: string; text: string }[];
  intervals?: Intervals;
  logical?: Logical;
  truth?: { max_error_ns: number; rms_error_ns: number; events: number; outside_bound: number };
  bounds_assume?: string;
  max_drift_ppm?: number | null;
  max_wander_ppm?: number | null;
  /** Of earlier versions. */
  rate_limit_ppm?: number | null;
}

/** Whether the summary is of traces that were corrected, not only looked at. */
export function isCorrected(summary: Summary): boolean {
  return summary.messages.inverted_after !== undefined;
}

export interface DirectionOf { from: string; to: string; messages: number; quality: string; reason: string; direction: Direction }

/** Every direction between two clocks in which messages went. */
export function directionsOf(summary: Summary): DirectionOf[] {
  const list: DirectionOf[] = [];
  for (const pair of summary.pairs) {
    const common = { quality: pair.quality, reason: pair.reason ?? "" };
    if (pair.ab && pair.messages_ab > 0) {
      list.push({ from: pair.a, to: pair.b, messages: pair.messages_ab, direction: pair.ab, ...common });
    }
    if (pair.ba && pair.messages_ba > 0) {
      list.push({ from: pair.b, to: pair.a, messages: pair.messages_ba, direction: pair.ba, ...common });
    }
  }
  return list;
}
