// The small trace of docs/formats/report.md, and a page of it: what page_test.cc writes as well.

import type { TraceMeta } from "../src/data/meta";
import type { Summary } from "../src/data/summary";

export const kExampleBytes = "02000000" + "0601" + "c80100020000" + "0100d80400010e" + "00010200";

const kNoRates = { since: [], until: [], drift_ppm: [] };

export const kExampleMeta: TraceMeta = {
  extent: ["1000", "1300"], window: null, window_chosen: false, events_total: 3, messages_total: 1, messages: 1,
  messages_left_out: 0, names: ["", "work"], corridors: [], corridors_left_out: 0,
  processes: [{ name: "a", label: "", title: "a", clock: 0, total: 2, events: 2 }, { name: "b", label: "second", title: "second", clock: 1, total: 1, events: 1 }],
  clocks: [{ origin: "1000", since: [0, 100], start: "0", offset: [0, 0], lower: [0, 0], upper: [0, 0], rates: kNoRates, broadcasts: { total: 0, since: [], difference: [] } },
    { origin: "5000", since: [0, 100], start: "3700", offset: [0, 0], lower: [-10, -20], upper: [30, null], rates: kNoRates, broadcasts: { total: 0, since: [], difference: [] } }],
};

const kDelays = { inverted: 0, too_fast: 0, smallest_delay_ns: 200, median_delay_ns: 200 };

export const kExampleSummary: Summary = {
  syncline: "0.1.0", inputs: [{ path: "t.txt" }], diagnostics: [],
  clocks: [{ name: "a", quality: "accurate", drift_ppm: 0, offset_ns: 0, bound_ns: { best: 0, mean: 0, worst: 0 } },
    { name: "b", quality: "accurate", drift_ppm: 1, offset_ns: 3700, bound_ns: { best: 10, mean: 20, worst: 30 } }],
  pairs: [{ a: "a", b: "b", messages_ab: 1, messages_ba: 0, quality: "accurate",
    ab: { min_delay_used_ns: 250, before: kDelays, after: kDelays } }],
  messages: { total: 1, unmatched_sends: 0, unmatched_receives: 0, inverted_before: 0, inverted_after: 0, too_fast_before: 0, too_fast_after: 1 },
};

export function base64OfHex(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}
