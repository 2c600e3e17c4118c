// What `syncline filter --json` writes (docs/filter.md), as the page uses it.

import type { Delays, Intervals, Logical, Messages, Named, Origin, Place } from "./summary";

export interface LargestInterval { process: string; event: number; original_ns: number; corrected_ns: number }
export interface ProcessFigures extends Named {
  events: number;
  moved: number;
  last_advance_ns: number;
  largest_advance_ns: number;
  least_interval_ns: number | null;
}
export interface DirectionFigures { from: string; to: string; messages: number; before: Delays; after: Delays }
export interface Protocol extends Logical {
  start_clock_difference_ns: number;
  clock_difference_exceeded_at: Place | null;
  half_round_trip: { pairs: number; min_ns: number; mean_ns: number; max_ns: number } | null;
  advice: { clock_difference_ns: number | null; min_delay_ns: number | null };
  collectives: { ends: number; violated_before: number; violated_after: number };
  given_up: number;
  late_partners: number;
  broken: number;
  peak_buffered_events: number;
  online?: { median_added_delay_at_most_ns: number; max_added_delay_ns: number };
  processes: ProcessFigures[];
  directions: DirectionFigures[];
}
export interface Filtered extends Origin {
  messages: Messages;
  intervals: Intervals & { largest: LargestInterval | null };
  logical: Protocol;
}
