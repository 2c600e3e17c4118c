// What the program writes beside the summary (docs/formats/report.md). Instants are nanoseconds
// since the epoch as text; everything else is a difference.

export interface ProcessMeta {
  name: string;
  label: string;
  title: string;
  clock: number;
  total: number;
  events: number;
  count?: number[];
}
export interface ClockMeta {
  origin: string;
  since: number[];
  /** Offset of the first reading; those of all, less this one. */
  start: string;
  offset: number[];
  lower: (number | null)[];
  upper: (number | null)[];
  /** Stretches of one rate: since and until when, counted from the extent's beginning, and rate − 1. Steps lie between them. */
  rates: { since: number[]; until: number[]; drift_ppm: number[] };
  /** Received by the reference too: its corrected time − the one here. */
  broadcasts: { total: number; since: number[]; difference: number[] };
}
export interface CorridorMeta {
  a: number;
  b: number;
  x: number;
  y: number;
  drift: number;
  since: number[];
  lower: (number | null)[];
  upper: (number | null)[];
  chosen: number[];
}
export interface TraceMeta {
  extent: [string, string];
  window: [string, string] | null;
  window_chosen: boolean;
  events_total: number;
  messages_total: number;
  messages: number;
  messages_left_out: number;
  names: string[];
  processes: ProcessMeta[];
  clocks: ClockMeta[];
  corridors: CorridorMeta[];
  corridors_left_out: number;
}
/** Successive equal parts of time, from `start` on. */
export interface Parts { start: number; width: number }
export interface GammaParts extends Parts {
  a: number[];
  b: number[];
  c: number[];
  d: number[];
  smallest: number[];
}
export interface ChangeParts extends Parts {
  intervals: number[];
  changed: number[];
  advance: number[];
  change: number[];
  /** Part, process, event, and the interval before and after. */
  where: [number, string, number, number, number][];
}
export interface TimelineMeta {
  first: string;
  duration: number;
  gamma: GammaParts | null;
  changes: ChangeParts | null;
}
export interface RegionParts extends Parts {
  regions: number[];
  computed: number[];
  delayed: number[];
  mean_alpha: (number | null)[];
  least_alpha: (number | null)[];
  where: [number, string, number][];
}
export interface ChartSeriesMeta {
  label: string;
  kind: "line" | "points" | "area";
  color: string;
  width: number;
  dash: string;
  opacity: number;
  /** A number: as that series. */
  x: number[] | number;
  y: (number | null)[];
}
export interface ChartMeta {
  kind: "corridor" | "bounds" | "error";
  subject: string;
  title: string;
  subtitle: string;
  x_label: string;
  y_label: string;
  x_range: [number, number];
  y_range: [number, number];
  series: ChartSeriesMeta[];
}
export interface Meta {
  version: number;
  kind: "sync" | "compare" | "filter" | "concurrency";
  inputs: { path: string; sha256: string }[];
  meanings: Record<string, string>;
  trace: TraceMeta | null;
  timeline: TimelineMeta | null;
  regions: RegionParts | null;
  charts: ChartMeta[];
}
