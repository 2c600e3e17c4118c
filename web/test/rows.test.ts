import { describe, expect, it } from "vitest";
import { decodeTrace, type Trace } from "../src/data/trace";
import { foldableClocks, rowsOf } from "../src/diagram/rows";
import { shortened } from "../src/diagram/paint";
import { findScene } from "../src/diagram/scene";
import { base64OfHex, kExampleBytes, kExampleMeta, kExampleSummary } from "./example";

// Processes a and b of the example, and c, which has the same clock as b.
function threeProcesses(): Trace {
  const trace = decodeTrace(kExampleMeta, base64OfHex(kExampleBytes), kExampleSummary);
  trace.lanes.push({ ...trace.lanes[1], name: "c", label: "", title: "c" });
  return trace;
}

describe("rows", () => {
  it("are processes, those of a clock side by side", () => {
    const rows = rowsOf(threeProcesses(), [0, 1, 2], new Set());
    expect(rows.map((row) => [row.title, row.fold])).toEqual([["a", "none"], ["second", "first"], ["c", "further"]]);
    expect(rows.map((row) => row.below)).toEqual(["", "", "clock b"]);
  });
  it("hold all processes of a folded clock", () => {
    const rows = rowsOf(threeProcesses(), [0, 1, 2], new Set([0, 1]));
    expect(rows.map((row) => [row.title, row.below, row.lanes])).toEqual([["a", "", [0]], ["b", "2 processes", [1, 2]]]);
  });
  it("are not folded for one process alone", () => {
    expect(rowsOf(threeProcesses(), [0, 2], new Set([1])).map((row) => row.title)).toEqual(["a", "c"]);
  });
  it("can be folded where clocks have several processes", () => {
    expect(foldableClocks(threeProcesses())).toEqual([1]);
  });
  it("show the same events folded and unfolded", () => {
    const trace = threeProcesses();
    const filter = { lanes: [0, 1, 2], show: "all" as const, pair: null };
    const view = { from: -10, to: 1000 };
    const unfolded = findScene(trace, view, 1, { ...filter, folded: new Set() });
    const folded = findScene(trace, view, 1, { ...filter, folded: new Set([1]) });
    expect([unfolded.events, unfolded.messages]).toEqual([2 + 1 + 1, 1]);
    expect([folded.events, folded.messages]).toEqual([unfolded.events, unfolded.messages]);
    expect([...folded.rowOf]).toEqual([0, 1, 1]);
  });
});

describe("names that are too long", () => {
  it("keep their ends", () => {
    expect(shortened("process", 7)).toBe("process");
    expect(shortened("channel0_17", 7)).toBe("cha…_17");
    expect(shortened("channel0_17", 1)).toBe("ch…7");
  });
});
