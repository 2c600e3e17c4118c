// What `syncline concurrency --json` writes (docs/methods/concurrency.md), as the page uses it.

import type { Named, Origin } from "./summary";

export type Ratio = number | null;
export interface ProcessMeasures extends Named {
  first_ns: number;
  regions: number;
  message_events: number;
  computed_ns: number;
  delayed_ns: number;
  height_ns: number;
  efficiency: Ratio;
  loss: Ratio;
  share: Ratio;
}
export interface RegionMeasures {
  process: string;
  region: number;
  end: string;
  event: number;
  /** Not end_ns: since the epoch it is more than a double holds to the nanosecond. */
  since_first_ns: number;
  sender: string | null;
  own_computed_ns: number;
  own_delayed_ns: number;
  alpha: Ratio;
}
export interface Computation {
  alpha: Ratio;
  height_ns: number;
  weight_ns: number;
  volume_ns: number;
  efficiency: Ratio;
  loss: Ratio;
  path_share: Ratio;
  mean_load_ns: Ratio;
  load_deviation_ns: Ratio;
  balance: Ratio;
  messages: number;
  collective_ends: number;
  message_events: number;
  longest_path_events: number;
  fidge: Ratio;
  raynal: Ratio;
  charron_bost: { m: Ratio; consistent_cuts: number | null };
}
export interface Concurrency extends Origin {
  inputs: string[];
  waits: string;
  computation: Computation;
  processes: ProcessMeasures[];
  regions: RegionMeasures[];
  longest_waits: RegionMeasures[];
  waited_for: { process: string; sender: string | null; waits: number; delayed_ns: number }[];
}
