import { describe, expect, it } from "vitest";
import { decodeTrace, Kind, type Lane, type Trace } from "../src/data/trace";
import { regionsOf } from "../src/diagram/regions";
import { figuresOf, waitingIn } from "../src/diagram/selection";
import { base64OfHex, kExampleBytes, kExampleMeta, kExampleSummary } from "./example";

const example = () => decodeTrace(kExampleMeta, base64OfHex(kExampleBytes), kExampleSummary);
const all = { lanes: [0, 1], folded: new Set<number>(), show: "all" as const, pair: null };

// The first process of the example with other events.
function with0(kinds: Kind[], times: number[]): { trace: Trace; lane: Lane } {
  const trace = example();
  const lane = { ...trace.lanes[0], kind: Uint8Array.from(kinds), recorded: Float64Array.from(times), corrected: Float64Array.from(times) };
  trace.lanes[0] = lane;
  return { trace, lane };
}

describe("a selected time", () => {
  it("counts the messages sent in it, with delays as recorded and corrected", () => {
    const figures = figuresOf(example(), [[], []], { from: 50, to: 250 }, 1, all);
    expect([figures.events, figures.messages]).toEqual([1, 1]);
    const recorded = { inverted: 0, tooFast: 0, least: 4000 - 100, median: 4000 - 100, most: 4000 - 100 };
    // 200 ns, below the minimum of 250.
    const corrected = { inverted: 0, tooFast: 1, least: 300 - 100, median: 300 - 100, most: 300 - 100 };
    expect(figures.directions).toEqual([{ from: 0, to: 1, messages: 1, recorded, corrected }]);
    expect(figures.isWaitingKnown).toBe(false);
  });
  it("counts apart what collectives stand for", () => {
    const trace = example();
    trace.messages.isCollective[0] = 1;
    const figures = figuresOf(trace, [[], []], { from: 50, to: 250 }, 1, all);
    expect([figures.messages, figures.directions]).toEqual([0, []]);
    expect(figures.ofCollectives).toEqual({ total: 1, invertedRecorded: 0, invertedCorrected: 0 });
  });
  it("leaves out what was sent before or after, or is filtered away", () => {
    expect(figuresOf(example(), [[], []], { from: 101, to: 400 }, 1, all).messages).toBe(0);
    expect(figuresOf(example(), [[], []], { from: 0, to: 400 }, 1, { ...all, lanes: [0] }).messages).toBe(0);
    expect(figuresOf(example(), [[], []], { from: 0, to: 400 }, 1, { ...all, pair: { from: 1, to: 0, bothWays: false } }).messages).toBe(0);
  });
  it("sums up what ranges side by side tell", () => {
    const trace = example();
    const parts = [0, 80, 160, 400].map((from, i, edges) => ({ from, to: (edges[i + 1] ?? 5000) - 0.5 }));
    expect(parts.reduce((sum, range) => sum + figuresOf(trace, [[], []], range, 0, all).messages, 0)).toBe(1);
  });
});

describe("waiting", () => {
  const { block, receive, send, begin, end, enter, leave, mark } = { block: 3, receive: 1, send: 0, begin: 7, end: 8, enter: 4, leave: 5, mark: 6 } as const;
  const whole = { from: -1000, to: 1000 };

  it("lasts from a recorded wait to the next send or receive, and through collectives", () => {
    const { trace } = with0([block, mark, receive, begin, end, block, send], [0, 5, 30, 100, 110, 200, 201]);
    expect(waitingIn(trace, 0, [], whole, 1)).toBe(30 + 10 + 1);
  });
  it("counts within the range alone, also what began before it or ends after it", () => {
    const { trace } = with0([block, mark, receive, block, receive], [0, 5, 30, 100, 150]);
    expect(waitingIn(trace, 0, [], { from: 10, to: 120 }, 1)).toBe(30 - 10 + (120 - 100));
    expect(waitingIn(trace, 0, [], { from: 12, to: 14 }, 1)).toBe(2);
    expect(waitingIn(trace, 0, [], { from: 40, to: 90 }, 1)).toBe(0);
  });
  it("lasts, in a call that receives, until the message was sent", () => {
    const trace = example();
    // Process 1 enters a call at 20, receives at 300 what was sent at 100, and leaves at 310.
    const times = [20, 300, 310];
    const lane = { ...trace.lanes[1], kind: Uint8Array.from([enter, receive, leave]), recorded: Float64Array.from(times), corrected: Float64Array.from(times) };
    trace.lanes[1] = lane;
    trace.messages.receive[0] = 1;
    expect(waitingIn(trace, 1, regionsOf(lane), whole, 1)).toBe(100 - 20);
    expect(waitingIn(trace, 1, regionsOf(lane), { from: 50, to: 80 }, 1)).toBe(30);
    // Entered after the send: nothing is waited for.
    lane.corrected[0] = 150;
    expect(waitingIn(trace, 1, regionsOf(lane), whole, 1)).toBe(0);
  });
});
