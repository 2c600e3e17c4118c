// What `syncline compare --json` writes (docs/compare.md), as the page uses it.

import type { Bound, Diagnostic, InputSummary, Messages, Origin } from "./summary";

export interface Truth { max_error_ns: number; rms_error_ns: number; events: number; outside_bound: number }
export interface MethodClock { name: string; quality: string; reference: string; reason: string; bound_ns: Bound }
export interface Method {
  name: string;
  needs: string;
  failure: string | null;
  estimate_s: number;
  memory_bytes: number | null;
  accurate_clocks?: number;
  corrected_clocks?: number;
  weak?: boolean;
  /** Of clocks, what its bounds rest on; and what messages say against that. */
  assumes?: string;
  assumes_constant_rates?: boolean;
  contradiction?: string | null;
  inverted?: number;
  too_fast?: number;
  bound_ns?: Bound;
  residual_ns?: number | null;
  broadcast_ns?: number | null;
  truth?: Truth;
  findings?: Diagnostic[];
  clocks?: MethodClock[];
}
export interface Best { name: string; as_good: string[]; reason: string }
/** What methods assume of clocks, and which of these gives the most; none where messages contradict it. */
export interface Assumption { assumes: string; contradiction: string | null; methods: string[]; best: Best | null }
export interface Comparison extends Origin {
  inputs: InputSummary[];
  reference: string | null;
  bounds_assume?: string;
  messages: Messages;
  methods: Method[];
  /** The weakest first. */
  assumptions: Assumption[];
  /** Of the weakest that is not contradicted. */
  best: Best | null;
}
