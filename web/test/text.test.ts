import { describe, expect, it } from "vitest";
import { durationAxis } from "../src/figures/axis";
import { toCsv } from "../src/figures/save";
import { formatBounds, formatBytes, formatCount, formatDuration, formatEpoch, formatExact, formatInstant, formatPercent, formatPpm, formatSigned } from "../src/format";
import { histogram } from "../src/view/quality";
import { rateSeries } from "../src/view/clocks";
import { boundSentence, orderSentence, pairQuality } from "../src/view/verdict";
import { kExampleSummary } from "./example";

// Narrow and unbreakable spaces as plain ones.
const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " ");

describe("numbers", () => {
  it("have the unit that fits, like the program's text", () => {
    const cases: [number, string][] = [[0, "0 ns"], [999, "999 ns"], [574_300, "574.3 µs"], [-1_701_260_000, "−1.701260 s"], [1_500_000, "1.500 ms"]];
    for (const [ns, text] of cases) expect(plain(formatDuration(ns))).toBe(text);
    expect(formatDuration(null)).toBe("unbounded");
    expect(plain(formatSigned(5))).toBe("+5 ns");
  });
  it("have both sides of bounds that differ by more than a tenth", () => {
    const cases: [number | null, number | null, string][] = [[0, 0, "± 0 ns"], [900, 1000, "± 1.0 µs"], [1000, 899, "−1.0 µs/+899 ns"],
      [5, null, "−5 ns/unbounded"], [null, 5, "unbounded/+5 ns"], [null, null, "unbounded"]];
    for (const [below, above, text] of cases) expect(plain(formatBounds(below, above))).toBe(text);
  });
  it("are shares without powers of ten where they are large", () => {
    const cases: [number, string][] = [[0, "0 %"], [0.00512, "0.512 %"], [9.99, "999 %"], [9.996, "1 000 %"], [11.8, "1 180 %"]];
    for (const [fraction, text] of cases) expect(plain(formatPercent(fraction))).toBe(text);
  });
  it("are grouped, and never minus zero", () => {
    expect(plain(formatCount(16_441))).toBe("16 441");
    expect(plain(formatPpm(-0.0001))).toBe("0.000 ppm");
    expect(plain(formatPpm(-12.5))).toBe("−12.500 ppm");
    expect(plain(formatBytes(4 * 1024 * 1024))).toBe("4.0 MiB");
  });
  it("keep every nanosecond of an instant", () => {
    expect(plain(formatInstant(12_345_678_901))).toBe("12.345 678 901 s");
    expect(plain(formatInstant(-1))).toBe("−0.000 000 001 s");
    expect(formatEpoch(1_795_263_392_370_402_411n)).toBe("2026-11-21 12:16:32.370402411 UTC");
    expect(plain(formatEpoch(27_657_887_387n))).toBe("27.657887387 s");
    expect(plain(formatEpoch(-1n))).toBe("−0.000000001 s");
  });
  it("share one unit along an axis", () => {
    const { unit, texts } = durationAxis("time", 0, 2_000_000).ticks(0, 2_000_000, 4);
    expect(unit).toBe("ms");
    expect(texts).toEqual(["0.0", "0.5", "1.0", "1.5", "2.0"]);
  });
  it("count from a round number far from 0, to the nanosecond", () => {
    const { unit, texts } = durationAxis("time", 0, 60e9).ticks(12_345_678_910, 12_345_678_950, 4);
    expect(plain(unit)).toBe("ns beyond 12.345 678 s");
    expect(texts).toEqual(["910", "920", "930", "940", "950"]);
  });
  it("say durations to the nanosecond", () => {
    expect(plain(formatExact(574_312))).toBe("574.312 µs");
    expect(plain(formatExact(-1_701_260_123))).toBe("−1.701 260 123 s");
    expect(plain(formatExact(-0.4))).toBe("0 ns");
  });
});

describe("CSV", () => {
  it("quotes what has commas, quotes or line ends, and disarms formulas", () => {
    expect(toCsv([["a,b", 'say "x"', null, -1.5], ["=1+1", "two\nlines", "", "plain"]]))
      .toBe('"a,b","say ""x""",,-1.5\r\n\'=1+1,"two\nlines",,plain\r\n');
  });
});

describe("the histogram", () => {
  it("counts every value once, in its bin or beyond", () => {
    const values = [...Array.from({ length: 990 }, (_, i) => i), ...Array.from({ length: 10 }, () => 1e6)];
    const { counts, beyond } = histogram(values);
    expect(beyond).toBe(10);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(990);
  });
  it("takes one value, or equal ones", () => {
    expect(histogram([5, 5, 5]).counts.reduce((a, b) => a + b, 0)).toBe(3);
  });
});

describe("the verdict", () => {
  const messages = { ...kExampleSummary.messages, total: 4470, inverted_before: 2298, inverted_after: 0 };
  it("says what was wrong and what is left", () => {
    expect(plain(orderSentence({ ...kExampleSummary, messages }))).toBe("Of 4 470 messages, 2 298 were received before sent; after correction none is.");
    expect(plain(orderSentence({ ...kExampleSummary, messages: { ...messages, inverted_before: 1, inverted_after: 1 } })))
      .toBe("Of 4 470 messages, 1 was received before sent; after correction 1 still is.");
  });
  it("says what bounds rest on, and for whom there is none", () => {
    const open = { ...kExampleSummary.clocks[1], name: "d", bound_ns: { best: null, mean: null, worst: null } };
    const text = plain(boundSentence({ ...kExampleSummary, clocks: [...kExampleSummary.clocks, open], max_drift_ppm: 200, bounds_assume: "nothing" }));
    expect(text).toBe("Every true time lies within the bounds of its clock, at most 30 ns from the corrected one (b): guaranteed for clocks of constant rates within " +
      "200 ppm of each other, whatever the network did. No such bound on both sides holds for d.");
    const conditional = (bounds_assume: string): string => plain(boundSentence({ ...kExampleSummary, max_drift_ppm: 200, bounds_assume }));
    expect(conditional("operations matched rightly by order")).toMatch(/, whatever the network did, if operations are matched rightly by their order\.$/);
    expect(conditional("given minimum delays, operations matched rightly by order, suspects matched wrongly"))
      .toMatch(/, if every message takes at least its minimum delay, if operations are matched rightly by their order, if the suspects alone are matched wrongly\.$/);
  });
  it("says for how long there is none", () => {
    const [a, b] = kExampleSummary.clocks;
    const partly = (name: string, unbounded_share: number) =>
      ({ ...b, name, bound_ns: { best: 10, mean: 20, worst: null }, unbounded_share, worst_where_bounded_ns: 700_000 });
    const text = (...clocks: ReturnType<typeof partly>[]) =>
      plain(boundSentence({ ...kExampleSummary, clocks: [a, ...clocks], max_drift_ppm: 200, bounds_assume: "nothing" }));
    expect(text(partly("b", 0.0125))).toMatch(/at most 700\.0 µs from the corrected one \(b\).* No such bound holds during 1\.25 % of the time of b\.$/);
    expect(text(...["b", "c", "d", "e"].map((name, i) => partly(name, i / 10 + 0.1)))).toMatch(/ during up to 40\.0 % of the time of 4 clocks\.$/);
  });
  it("says what bounds assume of rates, as the program does", () => {
    const [a, b] = kExampleSummary.clocks;
    const rates = (limits: (number | null)[], max_drift_ppm: number | null, max_wander_ppm: number | null = null) => plain(boundSentence({ ...kExampleSummary, max_drift_ppm, max_wander_ppm,
      clocks: [a, ...limits.map((rate_limit_ppm, i) => ({ ...b, name: "bcd".charAt(i), rate_limit_ppm }))] })).replace(/^.*guaranteed (.*), whatever the network did\.$/, "$1");
    expect(rates([null], 200)).toBe("for clocks of constant rates within 200 ppm of each other");
    expect(rates([null], null)).toBe("for clocks of constant rates");
    expect(rates([200, 200], 200)).toBe("for clocks whose rates stay within 200 ppm of the reference");
    expect(rates([1000, 200.0000001, 512.34567], 200)).toBe("for clocks whose rates stay within 200 ppm of the reference (512.346 ppm: d) (1000 ppm: b)");
    expect(rates([600, 600, null], 200)).toBe("for clocks whose rates stay within 200 ppm of the reference (600 ppm: b, c)");
    expect(rates([200], 200, 5)).toBe("for clocks whose rates stay within 200 ppm of the reference, and within 5 ppm of their own mean");
    expect(rates([1_000_000], null)).toBe("for clocks that never go back");
    const stepped = boundSentence({ ...kExampleSummary, max_drift_ppm: 200, clocks: [a, { ...b, rate_limit_ppm: 200 }], steps: [{ clock: "b", text: "" }, { clock: "b", text: "" }] });
    expect(plain(stepped)).toContain("within 200 ppm of the reference between 2 steps, whatever the network did.");
  });
});

describe("the quality of a pair", () => {
  it("is a defect where corrections rest on a line between two clocks, and else none", () => {
    expect(pairQuality({ ...kExampleSummary, group: "tree-error" }, "approximate")).toEqual({ text: "approximate", value: "approximate", bad: true });
    expect(pairQuality({ ...kExampleSummary, group: "drift-bounded" }, "approximate")).toEqual({ text: "not constant", value: "approximate", bad: false });
    expect(pairQuality({ ...kExampleSummary, group: "drift-bounded" }, "incomplete").bad).toBe(true);
    expect(pairQuality(kExampleSummary, "accurate").bad).toBe(false);
  });
});

describe("the rates of a clock", () => {
  it("are steps without a gap where stretches touch, and with one where the clock was set", () => {
    expect(rateSeries({ since: [0, 10, 25], until: [10, 20, 40], drift_ppm: [1, 2, 3] })).toEqual({ x: [0, 10, 20, 25, 40], y: [1, 2, null, 3] });
    expect(rateSeries({ since: [], until: [], drift_ppm: [] })).toEqual({ x: [], y: [] });
  });
});
