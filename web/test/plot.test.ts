// The geometry and the values of plots.

import { describe, expect, it } from "vitest";
import { durationAxis } from "../src/figures/axis";
import { pathOf, visitPoints } from "../src/figures/path";
import { heldIn, textAt, type Series } from "../src/figures/plot";
import { linesOf } from "../src/figures/svg";

const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " ");

function frameOf(from: number, to: number, low: number, high: number) {
  return { left: 0, top: 0, width: 100, height: 100, x: (value: number) => (100 * (value - from)) / (to - from),
    y: (value: number) => 100 - (100 * (value - low)) / (high - low) };
}

function line(x: number[], y: (number | null)[], more: Partial<Series> = {}): Series {
  return { label: "", color: "", kind: "line", x, y, ...more };
}

function cornersOf(path: string): number[][] {
  return path.split(/[MLZ]/).filter((corner) => corner !== "").map((corner) => corner.split(" ").map(Number));
}

describe("the path of a line", () => {
  it("is broken at gaps, and has nothing of a single point", () => {
    expect(pathOf(line([0, 10, 20, 30, 40], [0, 10, null, 30, null]), frameOf(0, 100, 0, 100))).toBe("M0 100L10 90");
  });
  it("holds its value to the next place where it is stepped", () => {
    expect(pathOf(line([0, 10, 20], [50, 60], { isStepped: true }), frameOf(0, 100, 0, 100))).toBe("M0 50L10 50L10 40L20 40");
  });
  it("passes through the same pixels however far its ends are away", () => {
    // A millionfold zoom into the middle of a diagonal.
    const half = 1e9;
    const corners = cornersOf(pathOf(line([0, 2 * half], [0, 2 * half]), frameOf(half - 1000, half + 1000, half - 1000, half + 1000)));
    expect(corners).toEqual([[-12, 112], [112, -12]]);
  });
  it("leaves the frame and comes back where it crosses its edge", () => {
    const corners = cornersOf(pathOf(line([0, 50, 100], [0, 1000, 0]), frameOf(0, 100, 0, 100)));
    // 112 pixels up after 5.6 of the 50 that lead to 1000.
    expect(corners).toEqual([[0, 100], [5.6, -12], [50, -12], [94.4, -12], [100, 100]]);
  });
  it("encloses a band between its upper and its lower side", () => {
    expect(pathOf(line([0, 100], [80, 60], { kind: "band", to: [20, 40] }), frameOf(0, 100, 0, 100))).toBe("M0 20L100 40L100 60L0 80Z");
  });
});

describe("points", () => {
  it("are drawn once for each pixel, and only within the frame", () => {
    const seen: number[][] = [];
    visitPoints(line([10, 10.2, 30, -5, 50], [10, 10.3, 30, 50, null]), frameOf(0, 100, 0, 100), (x, y) => { seen.push([x, y]); });
    expect(seen).toEqual([[10, 90], [30, 70]]);
  });
});

describe("the value at a place", () => {
  const axis = durationAxis("", -1000, 1000);
  const at = (series: Series, place: number): string => plain(textAt(series, axis, place));
  it("lies on the line between two points, at its ends on them, and nowhere else", () => {
    const series = line([0, 100, 200], [0, 400, 0]);
    expect([0, 25, 100, 200].map((place) => at(series, place))).toEqual(["0 ns", "100 ns", "400 ns", "0 ns"]);
    expect(at(series, 201)).toBe("");
  });
  it("is none in a gap, and several where a line has several parts", () => {
    expect(at(line([0, 10, 20, 30], [1, null, null, 5]), 15)).toBe("");
    expect(at(line([0, 100, 100, 0, 100], [30, 50, null, -30, -50]), 50)).toBe("\u221240 ns … 40 ns");
  });
  it("goes from side to side of a band, and is the height of a column", () => {
    expect(at(line([0, 100], [80, 60], { kind: "band", to: [-20, -40] }), 50)).toBe("\u221230 ns … 70 ns");
    const columns = line([0, 100, 200, 300], [80, 95, 70], { kind: "band", isStepped: true, to: [20, 30, 40] });
    expect([50, 100, 150, 200, 250, 300].map((x) => at(columns, x))).toEqual(["60 ns", "65 ns", "65 ns", "30 ns", "30 ns", "30 ns"]);
  });
  it("has a step's value from the step on", () => {
    const steps = line([0, 100, 200, 300], [10, 20, 30], { isStepped: true });
    expect([0, 100, 200, 300].map((x) => at(steps, x))).toEqual(["10 ns", "20 ns", "30 ns", "30 ns"]);
  });
});

describe("a long name in the legend", () => {
  it("is broken between words", () => {
    expect(linesOf("widest, bisector, joint", 16)).toEqual(["widest,", "bisector, joint"]);
    expect(linesOf("a name", 16)).toEqual(["a name"]);
    expect(linesOf("unbreakable", 4)).toEqual(["unbreakable"]);
  });
});

describe("the range shown", () => {
  it("stays within what there is, and no shorter than can be read", () => {
    const extent = { low: 0, high: 1000 };
    expect(heldIn({ low: -100, high: 100 }, extent, 20)).toEqual({ low: 0, high: 200 });
    expect(heldIn({ low: 499, high: 501 }, extent, 20)).toEqual({ low: 490, high: 510 });
    expect(heldIn({ low: -5000, high: 9000 }, extent, 20)).toEqual(extent);
  });
});
