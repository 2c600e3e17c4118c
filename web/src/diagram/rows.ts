// The rows of the diagram: a process each, or all processes of a clock together.

import type { Trace } from "../data/trace";

export interface Row {
  clock: number;
  /** Processes, by number. */
  lanes: number[];
  title: string;
  /** Said in small letters below the title; empty: nothing. */
  below: string;
  /** Whether the row can be unfolded, or is one of several that can be folded into one. */
  fold: "folded" | "first" | "further" | "none";
}

/** `folded`: the clocks whose processes share a row. Clocks with one process have nothing to fold. */
export function rowsOf(trace: Trace, lanes: readonly number[], folded: ReadonlySet<number>): Row[] {
  const ofClock = new Map<number, number[]>();
  for (const number of lanes) {
    const { clock } = trace.lanes[number];
    const others = ofClock.get(clock);
    if (others === undefined) ofClock.set(clock, [number]);
    else others.push(number);
  }
  const rows: Row[] = [];
  for (const [clock, together] of ofClock) {
    const name = trace.clockNames[clock] ?? "";
    if (together.length > 1 && folded.has(clock)) {
      rows.push({ clock, lanes: together, title: name, below: `${together.length} processes`, fold: "folded" });
      continue;
    }
    together.forEach((number, i) => {
      const lane = trace.lanes[number];
      const below = name === lane.name || name === lane.title ? "" : `clock ${name}`;
      rows.push({ clock, lanes: [number], title: lane.title, below,
        fold: together.length === 1 ? "none" : i === 0 ? "first" : "further" });
    });
  }
  return rows;
}

/** The clocks of several processes, in order of their first one. */
export function foldableClocks(trace: Trace): number[] {
  const seen = new Map<number, number>();
  for (const lane of trace.lanes) seen.set(lane.clock, (seen.get(lane.clock) ?? 0) + 1);
  return [...seen].filter(([, count]) => count > 1).map(([clock]) => clock);
}
