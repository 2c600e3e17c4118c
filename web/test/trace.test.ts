import { describe, expect, it } from "vitest";
import { ByteReader, fromBase64 } from "../src/data/bytes";
import { decodeTrace, delayOf, extentOf, firstFrom, Kind, messagesWithin, State, stateOf, type Lane } from "../src/data/trace";
import { base64OfHex, kExampleBytes, kExampleMeta, kExampleSummary } from "./example";

const example = () => decodeTrace(kExampleMeta, base64OfHex(kExampleBytes), kExampleSummary);

describe("ByteReader", () => {
  it("reads what the program writes", () => {
    const reader = new ByteReader(Uint8Array.from([0x00, 0x7f, 0x80, 0x01, 0x01, 0x02, 0x05]));
    expect([reader.unsigned(), reader.unsigned(), reader.unsigned()]).toEqual([0, 127, 128]);
    expect([reader.signed(), reader.signed(), reader.signed()]).toEqual([-1, 1, -3]);
    expect(reader.done).toBe(true);
  });

  it("keeps all digits up to 2^53 and refuses to read beyond the end", () => {
    // 2^53 − 1: seven bytes of 127 with a mark, and 15 = 2^4 − 1 for bits 49 to 52.
    const reader = new ByteReader(Uint8Array.from([...new Array<number>(7).fill(0xff), 0x0f]));
    expect(reader.unsigned()).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => reader.byte()).toThrow("ends too early");
  });

  it("undoes base64", () => {
    expect([...fromBase64("AQID/w==\n")]).toEqual([1, 2, 3, 255]);
  });
});

describe("decodeTrace", () => {
  it("gives both times since the first event, and all other fields", () => {
    const [a, b] = example().lanes;
    expect([...a.recorded]).toEqual([0, 100]);
    expect([...a.corrected]).toEqual([0, 100]);
    expect([...a.index]).toEqual([0, 1]);
    expect([...a.kind]).toEqual([Kind.mark, Kind.send]);
    expect([...a.nameOf]).toEqual([1, 0]);
    expect([...b.recorded]).toEqual([5000 - 1000]);
    expect([...b.corrected]).toEqual([1300 - 1000]);
    expect([...b.advance]).toEqual([7]);
    expect([a.title, b.title]).toEqual(["a", "second"]);
  });

  it("links messages and knows their minimum delay by clocks", () => {
    const trace = example();
    expect(delayOf(trace, 0, 0)).toBe(4000 - 100);
    expect(delayOf(trace, 0, 1)).toBe(300 - 100);
    expect(delayOf(trace, 0, 0.5)).toBe((3900 + 200) / 2);
    expect(trace.messages.minimumDelay[0]).toBe(250);
    expect([stateOf(trace, 0, 0), stateOf(trace, 0, 1)]).toEqual([State.fine, State.tooFast]);
  });

  it("finds the extent at both ends of the slider", () => {
    expect(extentOf(example(), 1)).toEqual([0, 300]);
    expect(extentOf(example(), 0)).toEqual([0, 4000]);
  });

  it("refuses data that is cut off or goes on", () => {
    expect(() => decodeTrace(kExampleMeta, base64OfHex(kExampleBytes.slice(0, -2)), kExampleSummary)).toThrow("too early");
    expect(() => decodeTrace(kExampleMeta, base64OfHex(`${kExampleBytes}00`), kExampleSummary)).toThrow("goes on");
  });
});

function laneOf(times: number[]): Lane {
  const lane = example().lanes[0];
  return { ...lane, recorded: Float64Array.from(times), corrected: Float64Array.from(times) };
}

describe("firstFrom", () => {
  it("agrees with a search from the start, wherever it begins", () => {
    const times = Array.from({ length: 200 }, (_, i) => Math.floor(i * 1.7) * 3);
    const lane = laneOf(times);
    for (let time = -5; time < 1100; time += 7) {
      const found = times.findIndex((t) => t >= time);
      const expected = found < 0 ? times.length : found;
      for (const start of [0, 1, 17, 100, 199, 200]) {
        expect(firstFrom(lane, time, 1, start), `time ${time} from ${start}`).toBe(Math.max(start, expected));
      }
    }
  });
});

describe("messagesWithin", () => {
  it("never leaves out a message that can be seen, at any share", () => {
    const trace = example();
    for (const share of [0, 0.3, 1]) {
      const send = 100;
      const receive = 4000 + (300 - 4000) * share;
      for (let from = -6000; from < 6000; from += 50) {
        const isSeen = receive >= from && send <= from + 40;
        const [first, after] = messagesWithin(trace, from, from + 40);
        if (isSeen) expect([first, after]).toEqual([0, 1]);
      }
    }
  });
});
