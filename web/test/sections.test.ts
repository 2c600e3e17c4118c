import { describe, expect, it } from "vitest";
import type { Comparison, Method } from "../src/data/comparison";
import type { Computation, Concurrency } from "../src/data/concurrency";
import type { Protocol } from "../src/data/filtered";
import { countAxis, logarithmicAxis } from "../src/figures/axis";
import { columns, edgesOf, middlesOf, stacked } from "../src/figures/parts";
import { pathOf } from "../src/figures/path";
import { textAt } from "../src/figures/plot";
import { bestSentence, commonReasons, reasonSentences, reasonsOf, remarksOf, truthSentence } from "../src/view/compared";
import { alphaSentence, formatRatio, lossSentence } from "../src/view/concurrent";
import { adviceSentences } from "../src/view/filtered";
import { logicalRows } from "../src/view/logical";

// Narrow and unbreakable spaces as plain ones.
const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " ");

const kFrame = { left: 0, top: 0, width: 10, height: 10, x: (value: number) => value, y: (value: number) => 10 - value };

describe("parts of time", () => {
  it("have edges and middles from where they start", () => {
    expect(edgesOf({ start: -2, width: 4 }, 3)).toEqual([-2, 2, 6, 10]);
    expect(middlesOf({ start: -2, width: 4 }, 3)).toEqual([0, 4, 8]);
  });
  it("become columns that touch one another", () => {
    expect(pathOf(columns("", "", [0, 4, 8], [3, 5]), kFrame)).toBe("M0 7L4 7L4 5L8 5L8 10L4 10L4 10L0 10Z");
  });
  it("stack columns on one another, and tell of each how high it is", () => {
    const series = stacked(["a", "b", "c"], ["", "", ""], [0, 4, 8], [[1, 2], [10, 20], [100, 200]]);
    expect(series.map((s) => s.to)).toEqual([[0, 0], [1, 2], [11, 22]]);
    expect(series.map((s) => s.y)).toEqual([[1, 2], [11, 22], [111, 222]]);
    expect(series.map((s) => textAt(s, countAxis("", 300), 5))).toEqual(["2", "20", "200"]);
  });
});

describe("the logarithmic axis", () => {
  it("goes over whole powers of ten, as shares", () => {
    const axis = logarithmicAxis("", [0, 0.002, 0.3]);
    expect([axis.low, axis.high + 0]).toEqual([-3, 0]);
    expect(axis.ticks(-3, 0, 6).texts).toEqual(["0.1 %", "1 %", "10 %", "100 %"]);
    expect(axis.text(-2.5)).toBe("0.316 %");
  });
  it("takes one value, or none, and many powers in few steps", () => {
    expect(logarithmicAxis("", [0.1]).ticks(-1, 0, 6).texts).toEqual(["10 %", "100 %"]);
    const none = logarithmicAxis("", []);
    expect(none.high).toBeGreaterThan(none.low);
    const wide = logarithmicAxis("", [1e-9, 1e6]);
    const { texts } = wide.ticks(wide.low, wide.high, 4);
    expect(texts).toEqual(["0.001 %", "100 %", "10⁷ %"]);
    expect(wide.text(-9.5)).toBe("3.2·10⁻⁸ %");
  });
});

const kProtocol: Protocol = {
  clock: "controlled", controller: "revised", events: 94, events_moved: 40, largest_clock_difference_ns: 1_302_920, start_clock_difference_ns: 1_000_000,
  clock_difference_exceeded_at: { process: "P1", event: 7 }, half_round_trip: { pairs: 1, min_ns: 620_200, mean_ns: 620_200, max_ns: 620_200 },
  advice: { clock_difference_ns: 1_302_920, min_delay_ns: 496_160 },
  controllers: { events: { a: 90, b: 4, c: 0, d: 0 }, smallest_gamma: 0.5, smallest_gamma_at: { process: "P1", event: 3 } },
  amortization: { jumps: 5, amortized: 5, largest_slope: 0.005, largest_slope_at: null },
  collectives: { ends: 0, violated_before: 0, violated_after: 0 }, given_up: 0, late_partners: 0, broken: 0, peak_buffered_events: 20,
  processes: [], directions: [],
};

describe("the filter's report", () => {
  it("advises for similar traces", () => {
    const [difference, delay] = adviceSentences(kProtocol).map(plain);
    expect(difference).toContain("more than the 1.000 ms that were expected, first at event 7 of P1: give --clock-difference 1302920");
    expect(delay).toContain("620.2 µs at least, 620.2 µs at most: give --min-delay 496160");
    expect(adviceSentences({ ...kProtocol, advice: { clock_difference_ns: null, min_delay_ns: null } })).toEqual([]);
  });
  it("names the controllers that acted, and where γ was least", () => {
    const rows = new Map(logicalRows(kProtocol));
    expect(rows.get("γ set by controller")).toBe("A at 90, B at 4 events");
    expect(rows.get("least γ")).toBe("0.5 (event 3 of P1)");
    const figures = { events: 1, moved: 0, last_advance_ns: 0, largest_advance_ns: 0, least_interval_ns: null };
    const titled = new Map(logicalRows({ ...kProtocol, processes: [{ name: "P1", title: "rank 1", ...figures }] }));
    expect(titled.get("least γ")).toBe("0.5 (event 3 of rank 1)");
  });
});

function method(name: string, fields: Partial<Method> = {}): Method {
  return { name, needs: "messages", failure: null, estimate_s: 0.001, memory_bytes: null, inverted: 0, too_fast: 0, weak: false, ...fields };
}

const kBest = { name: "one", as_good: ["three"], reason: "it leaves no message inverted" };
const kComparison: Comparison = {
  syncline: "0.1.0", inputs: [], reference: "a", diagnostics: [],
  messages: { total: 9, unmatched_sends: 0, unmatched_receives: 0, inverted_before: 3, too_fast_before: 0 },
  methods: [method("one", { truth: { max_error_ns: 900, rms_error_ns: 400.4, events: 12, outside_bound: 0 } }),
    method("two", { truth: { max_error_ns: 500, rms_error_ns: 300.2, events: 12, outside_bound: 2 } })],
  assumptions: [{ assumes: "clocks that never go back", contradiction: null, methods: ["one", "three"], best: kBest }], best: kBest,
};

describe("the comparison's report", () => {
  it("says which method is best and why, and which are as good", () => {
    expect(bestSentence(kComparison)).toBe("one gives the most that can be guaranteed for clocks that never go back.");
    expect(reasonSentences(kComparison)).toEqual(["one: it leaves no message inverted. As good: three."]);
    expect(bestSentence({ ...kComparison, assumptions: [], best: null })).toBe("No method finds a correction.");
  });
  it("ranks only what assumes the same", () => {
    const two = { assumes: "clocks of constant rates", contradiction: null, methods: ["two"], best: { name: "two", as_good: [], reason: "it is the narrowest" } };
    const comparison = { ...kComparison, assumptions: [...kComparison.assumptions, two] };
    expect(bestSentence(comparison)).toBe("one gives the most that can be guaranteed for clocks that never go back; two for clocks of constant rates.");
    expect(reasonSentences(comparison)).toEqual(["one: it leaves no message inverted. As good: three.", "two: it is the narrowest.",
      "Figures of different assumptions do not compare: a narrower ± can be a stronger assumption."]);
  });
  it("ranks nothing that messages contradict, and says so where nothing is left", () => {
    const contradicted = { assumes: "clocks of constant rates", contradiction: "no line fits", methods: ["two", "four"], best: null };
    expect(reasonSentences({ ...kComparison, assumptions: [...kComparison.assumptions, contradicted] })[1])
      .toBe("The ± of two, four is no guarantee, and is not compared: it rests on clocks of constant rates, but no line fits.");
    expect(bestSentence({ ...kComparison, assumptions: [contradicted], best: null }))
      .toBe("No method's figures can be compared: messages contradict what each assumes.");
  });
  it("says which method is nearest to the truth, and whose bounds do not hold", () => {
    expect(plain(truthSentence(kComparison))).toBe("Measured by the truth, two is the nearest: 300 ns root mean square, 500 ns at most; " +
      "one: 400 ns and 900 ns. Outside of the bounds claimed are times by two.");
    expect(truthSentence({ ...kComparison, methods: [method("one")] })).toBe("");
  });
  it("gathers clocks by what weakens them", () => {
    const bound = { best: null, mean: null, worst: null };
    const clock = (name: string, quality: string, reason: string) => ({ name, quality, reference: "a", reason, bound_ns: bound });
    expect(reasonsOf(method("one", { clocks: [clock("a", "accurate", ""), clock("b", "incomplete", "one direction only"), clock("c", "incomplete", "one direction only")] })))
      .toEqual(["b, c: incomplete, one direction only"]);
    expect(reasonsOf(method("one", { failure: "no broadcasts" }))).toEqual(["no broadcasts"]);
  });
});

const kComputation: Computation = {
  alpha: 0.6, height_ns: 30, weight_ns: 42, volume_ns: 50, efficiency: 0.84, loss: 0.16, path_share: 30 / 42, mean_load_ns: 21,
  load_deviation_ns: 9, balance: 0.5, messages: 1, collective_ends: 0, message_events: 2, longest_path_events: 2, fidge: 0, raynal: 0,
  charron_bost: { m: null, consistent_cuts: null },
};
const kConcurrency: Concurrency = { syncline: "0.1.0", inputs: [], waits: "recorded", diagnostics: [], computation: kComputation, processes: [], regions: [], longest_waits: [], waited_for: [] };

describe("what weakens methods", () => {
  it("is said once where it holds for all", () => {
    const weak = (...names: string[]) => method("m", { findings: names.map((name) => ({ name, severity: "warning", count: 1 })) });
    expect(commonReasons([weak("x", "y"), weak("y", "z")])).toEqual(["1 × y"]);
    expect(commonReasons([weak("x"), method("fine")])).toEqual([]);
  });
  it("is said once with the methods it concerns where it holds for some", () => {
    const weak = (name: string, ...names: string[]) => method(name, { findings: names.map((f) => ({ name: f, severity: "warning", count: 1 })) });
    expect(remarksOf([weak("a", "x", "all"), weak("b", "y", "all"), weak("c", "x", "all")])).toEqual([["1 × x", ["a", "c"]], ["1 × y", ["b"]]]);
  });
});

describe("the report of concurrency", () => {
  it("says how concurrent it was and what was lost", () => {
    expect(alphaSentence(kConcurrency)).toBe("Concurrency α = 0.600 of 0 processes with 1 message: 1 is fully concurrent, 0 fully sequential.");
    expect(plain(lossSentence(kConcurrency))).toContain("computed 42 ns in all and waited 8 ns, 16.0 % of their time");
  });
  it("has no numbers for what is not defined", () => {
    expect(formatRatio(null)).toBe("n/a");
    expect(alphaSentence({ ...kConcurrency, computation: { ...kComputation, alpha: null } })).toContain("is not defined");
  });
});
