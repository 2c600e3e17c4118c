// What the program writes beside the summary (docs/formats/report.md). Instants are nanoseconds
// since the epoch as text; everything else is a difference.

export interface ProcessMeta {
  name: string;
  label: string;
  clock: number;
  total: number;
  events: number;
  count?: number[];
}
export interface ClockMeta {
  origin: string;
  since: number[];
  offset: number[];
  lower: (number | null)[];
  upper: (number | null)[];
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
export interface Meta {
  version: number;
  inputs: { path: string; sha256: string }[];
  meanings: Record<string, string>;
  trace: TraceMeta | null;
}
