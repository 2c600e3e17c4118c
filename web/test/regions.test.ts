import { describe, expect, it } from "vitest";
import { decodeTrace, type Lane } from "../src/data/trace";
import { innermostAt, longestRegions, regionsOf, visitRegions, type Level } from "../src/diagram/regions";
import { base64OfHex, kExampleBytes, kExampleMeta, kExampleSummary } from "./example";

const example = () => decodeTrace(kExampleMeta, base64OfHex(kExampleBytes), kExampleSummary);

// Kinds 4 and 5 enter and leave a region, 6 is a mark; without times, event i is at i.
function laneWith(kinds: number[], times = kinds.map((_, i) => i)): Lane {
  return { ...example().lanes[0], kind: Uint8Array.from(kinds), recorded: Float64Array.from(times), corrected: Float64Array.from(times) };
}

interface Shown { region: number; from: number; to: number }

function shown(lane: Lane, level: Level, from: number, to: number, least: number): Shown[] {
  const list: Shown[] = [];
  visitRegions(lane, level, from, to, 1, least, (region, begin, end) => { list.push({ region, from: begin, to: end }); });
  return list;
}

describe("regions", () => {
  it("nest, and what has no other end is left out", () => {
    // leave, enter, enter, leave, leave, enter: the first and the last have no partner.
    const levels = regionsOf(laneWith([5, 4, 4, 5, 5, 4]));
    expect(levels.map((level) => [...level.enter])).toEqual([[1], [2]]);
    expect(levels.map((level) => [...level.leave])).toEqual([[4], [3]]);
  });

  it("are told one by one where they are long enough", () => {
    const lane = laneWith([4, 5, 4, 5, 4, 5], [0, 10, 10, 30, 50, 60]);
    const level = regionsOf(lane)[0];
    expect(shown(lane, level, 0, 60, 10)).toEqual([{ region: 0, from: 0, to: 10 }, { region: 1, from: 10, to: 30 }, { region: 2, from: 50, to: 60 }]);
    expect(shown(lane, level, 20, 40, 10)).toEqual([{ region: 1, from: 10, to: 30 }]);
    expect(shown(lane, level, 31, 49, 10)).toEqual([]);
  });

  it("are told together where they are too short, apart from what is between them", () => {
    // Two of 1 ns side by side, a gap of 100 ns, one of 1 ns.
    const lane = laneWith([4, 5, 4, 5, 4, 5], [0, 1, 2, 3, 103, 104]);
    expect(shown(lane, regionsOf(lane)[0], 0, 200, 10)).toEqual([{ region: -1, from: 0, to: 3 }, { region: -1, from: 103, to: 104 }]);
  });

  it("cover, at any zoom, all time that regions take, and no gap that can be seen", () => {
    // A fixed sequence of lengths and gaps from 0 to 36 ns.
    const times: number[] = [];
    let time = 0;
    for (let i = 0; i < 400; ++i) {
      time += (i * i * 7 + i * 3) % 37;
      times.push(time);
    }
    const lane = laneWith(times.map((_, i) => 4 + (i % 2)), times);
    const level = regionsOf(lane)[0];
    for (const least of [0.5, 3, 20, 100, 5000]) {
      const boxes = shown(lane, level, 0, time, least);
      for (let i = 0; i < level.enter.length; ++i) {
        const [from, to] = [times[level.enter[i]], times[level.leave[i]]];
        expect(boxes.some((box) => box.from <= from && box.to >= to), `region ${i} of ${from} to ${to} at ${least}`).toBe(true);
        const gapTo = times[level.leave[i] + 1] ?? Infinity;
        if (gapTo - to < 2 * least || gapTo === Infinity) continue;
        const middle = (to + gapTo) / 2;
        expect(boxes.some((box) => box.from < middle && box.to > middle), `gap at ${middle}, ${least}`).toBe(false);
      }
      expect(boxes.length).toBeLessThanOrEqual(Math.min(level.enter.length, 2 * Math.ceil(time / least) + 2));
    }
  });

  it("are found around an event, the innermost first", () => {
    // enter, mark, enter, mark, leave, leave, mark
    const levels = regionsOf(laneWith([4, 6, 4, 6, 5, 5, 6]));
    expect(innermostAt(levels, 1)).toEqual({ enter: 0, leave: 5 });
    expect(innermostAt(levels, 3)).toEqual({ enter: 2, leave: 4 });
    expect(innermostAt(levels, 6)).toBe(null);
  });

  it("are ranked by the time spent in them", () => {
    const trace = example();
    // Name 1 for 5 ns and 5 ns, name 2 for 20 ns, name 0 is none.
    const lane = { ...laneWith([4, 5, 4, 5, 4, 5, 4, 5], [0, 5, 5, 10, 10, 30, 30, 100]), nameOf: Uint32Array.from([1, 1, 1, 1, 2, 2, 0, 0]) };
    trace.lanes[0] = lane;
    expect(longestRegions(trace, [regionsOf(lane), []], 5)).toEqual([2, 1]);
    expect(longestRegions(trace, [regionsOf(lane), []], 1)).toEqual([2]);
  });
});
