import { describe, expect, it } from "vitest";
import { messagesAt } from "../src/data/ends";
import { decodeTrace } from "../src/data/trace";
import { boundsAt, constraintOf, reasonOf } from "../src/diagram/explain";
import { largestChange, nextInversion } from "../src/diagram/jumps";
import { findScene, kMostInk, limitInk } from "../src/diagram/scene";
import { around, kShortest, limited, span, ticksOf, zoomed } from "../src/diagram/viewport";
import { base64OfHex, kExampleBytes, kExampleMeta, kExampleSummary } from "./example";

const example = () => decodeTrace(kExampleMeta, base64OfHex(kExampleBytes), kExampleSummary);

describe("the viewport", () => {
  it("zooms around a point that stays in place", () => {
    expect(zoomed({ from: 0, to: 100 }, 0.5, 20)).toEqual({ from: 10, to: 60 });
  });
  it("never gets shorter than can be read, nor leaves the trace", () => {
    const extent = { from: 0, to: 1e9 };
    expect(span(limited(around(5, 1), extent))).toBe(kShortest);
    expect(limited({ from: -1e12, to: 1e12 }, extent)).toEqual({ from: -1e8, to: 1.1e9 });
    expect(limited({ from: 2e9, to: 2.1e9 }, extent).to).toBe(1.1e9);
  });
  it("marks round numbers", () => {
    expect(ticksOf(0.3, 9.9, 5)).toEqual({ values: [2, 4, 6, 8], step: 2 });
    expect(ticksOf(-20, 20, 4).values).toEqual([-20, -10, 0, 10, 20]);
  });
});

describe("the scene", () => {
  const all = { lanes: [0, 1], folded: new Set<number>(), show: "all" as const, pair: null };
  it("counts what is in view at the share of the slider", () => {
    const corrected = findScene(example(), { from: 50, to: 350 }, 1, all);
    expect([corrected.events, corrected.messages, corrected.tooFast]).toEqual([2, 1, 1]);
    const recorded = findScene(example(), { from: 50, to: 350 }, 0, all);
    expect([recorded.events, recorded.messages, recorded.tooFast]).toEqual([1, 1, 0]);
  });
  it("shows messages that only pass through", () => {
    expect(findScene(example(), { from: 200, to: 210 }, 1, all).drawn).toEqual([0]);
  });
  it("filters by state, by pair in its direction, and by lane", () => {
    const view = { from: 0, to: 300 };
    expect(findScene(example(), view, 1, { ...all, show: "inverted" }).messages).toBe(0);
    expect(findScene(example(), view, 1, { ...all, show: "too-fast" }).messages).toBe(1);
    expect(findScene(example(), view, 1, { ...all, pair: { from: 0, to: 1, bothWays: false } }).messages).toBe(1);
    expect(findScene(example(), view, 1, { ...all, pair: { from: 1, to: 0, bothWays: false } }).messages).toBe(0);
    expect(findScene(example(), view, 1, { ...all, lanes: [0] }).messages).toBe(0);
  });
});

describe("the ink of arrows", () => {
  const all = { lanes: [0, 1], folded: new Set<number>(), show: "all" as const, pair: null };
  it("is the length of what of them is in the picture", () => {
    // From 100 to 300, a row further down; half of it is in view.
    const scene = findScene(example(), { from: 200, to: 400 }, 1, all);
    limitInk(example(), scene, 800, 600);
    expect(scene.ink).toBe(Math.hypot(800, 600) / 2);
    expect(scene.areMessagesDrawn).toBe(true);
  });
  it("makes density of them where it is too much", () => {
    const scene = findScene(example(), { from: 100, to: 300 }, 1, all);
    limitInk(example(), scene, 1.01 * kMostInk, 1);
    expect(scene.areMessagesDrawn).toBe(false);
  });
});

describe("explanations", () => {
  it("name the message an event belongs to, and its bound with what was added", () => {
    const trace = example();
    expect([...messagesAt(trace, 1, 0)]).toEqual([0]);
    expect([...messagesAt(trace, 0, 0)]).toEqual([]);
    // At the first reading −10 … +30, and 7 ns later by the logical clock.
    expect(boundsAt(trace, trace.lanes[1], 0)).toEqual({ below: 10 + 7, above: 30 - 7 });
  });
  it("say which message holds an event where it is", () => {
    const trace = example();
    trace.messages.minimumDelay[0] = 200;
    expect(constraintOf(trace, 1, 0)).toBe(0);
    expect(reasonOf(trace, 1, 0)).toContain("after its message's send, event 1 of a");
    trace.messages.minimumDelay[0] = 0;
    expect(constraintOf(trace, 1, 0)).toBe(null);
    expect(reasonOf(trace, 1, 0)).toContain("the straight line of clock b");
    expect(reasonOf(trace, 0, 1)).toBe("its clock a needed no correction here");
  });
});

describe("jumps", () => {
  it("find the largest advance, and no inversion where there is none", () => {
    expect(largestChange(example())).toEqual({ lane: 1, event: 0, message: null });
    expect(nextInversion(example(), null, 1)).toBe(null);
  });
  it("go round at the ends", () => {
    const trace = example();
    trace.messages.receiveRecorded[0] = 0;
    expect(nextInversion(trace, 0, 1)).toBe(0);
    expect(nextInversion(trace, null, 1)).toBe(0);
    expect(nextInversion(trace, null, -1)).toBe(0);
  });
});
