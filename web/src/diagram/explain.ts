// What there is to say about one event: both times, how far to trust them, its messages, and why it
// was moved.

import { messagesAt } from "../data/ends";
import { delayOf, kKinds, State, stateOf, type Lane, type Trace } from "../data/trace";
import { formatBounds, formatDuration, formatEpoch, formatInstant, formatPpm, formatSigned } from "../format";

export interface Row { label: string; text: string; state: State | null }

export interface Sides { below: number | null; above: number | null }

/** How far the true time may be before and after the corrected one; null: that side is open. */
export function boundsAt(trace: Trace, lane: Lane, event: number): Sides {
  const clock = trace.meta.clocks[lane.clock];
  const since = lane.recorded[event] - Number(BigInt(clock.origin) - trace.origin);
  const after = clock.since.findIndex((t) => t >= since);
  if (after < 0 || clock.since.length === 0) return { below: null, above: null };
  const before = Math.max(0, after - 1);
  // By the wider of the two readings around it; what the logical clock added counts from there.
  const farther = (values: (number | null)[], sign: number): number | null => {
    const low = values[before];
    const high = values[after];
    if (low === null || high === null) return null;
    return Math.ceil(Math.max(0, Math.max(sign * low, sign * high) - sign * (lane.advance[event] ?? 0)));
  };
  return { below: farther(clock.lower, -1), above: farther(clock.upper, 1) };
}

function describe(trace: Trace, lane: number, event: number): string {
  const { title, index, corrected } = trace.lanes[lane];
  return `event ${index[event]} of ${title} at ${formatInstant(corrected[event])}`;
}

function messageRow(trace: Trace, m: number, lane: number): Row {
  const { messages, lanes } = trace;
  const isSend = messages.from[m] === lane;
  const peer = isSend ? messages.to[m] : messages.from[m];
  const other = isSend ? messages.receive[m] : messages.send[m];
  const what = messages.isCollective[m] === 1 ? (isSend ? "lets go" : "waits for") : (isSend ? "to" : "from");
  const before = delayOf(trace, m, 0);
  const after = delayOf(trace, m, 1);
  const state = stateOf(trace, m, 0);
  const note = state === State.inverted ? ", was received before sent" : state === State.tooFast ? ", was too fast" : "";
  return {
    label: `${what} ${lanes[peer].title}`,
    text: `event ${lanes[peer].index[other]} at ${formatInstant(lanes[peer].corrected[other])}; delay ${formatDuration(before)} → ${formatDuration(after)}${note}`,
    state: stateOf(trace, m, 1) === State.fine ? state : stateOf(trace, m, 1),
  };
}

/** The message that leaves the event no earlier place: it arrives just after its minimum delay. */
export function constraintOf(trace: Trace, lane: number, event: number): number | null {
  const kSlack = 2; // ns, of rounding
  for (const m of messagesAt(trace, lane, event)) {
    if (trace.messages.to[m] !== lane || trace.messages.receive[m] !== event) continue;
    if (Math.abs(delayOf(trace, m, 1) - trace.messages.minimumDelay[m]) <= kSlack) return m;
  }
  return null;
}

// The nearest event that a message holds where it is, within the same stretch of advanced events:
// an earlier one, from which the advance fades slowly, or a later one, for which it grows.
function nearestHeld(trace: Trace, lane: number, event: number): { event: number; message: number } | null {
  const { advance } = trace.lanes[lane];
  const kReach = 400;
  for (let distance = 1; distance <= kReach; ++distance) {
    for (const other of [event - distance, event + distance]) {
      const least = other < event ? advance[event] / 2 : advance[event];
      if (other < 0 || other >= advance.length || advance[other] < least) continue;
      const message = constraintOf(trace, lane, other);
      if (message !== null) return { event: other, message };
    }
  }
  return null;
}

function sender(trace: Trace, m: number): string {
  return describe(trace, trace.messages.from[m], trace.messages.send[m]);
}

/** What the clock's own correction takes off at an event. */
function lineReason(trace: Trace, clock: number, plain: number): string {
  const name = trace.clockNames[clock] ?? "";
  if (plain === 0) return `its clock ${name} needed no correction here`;
  const { pieces, driftPpm } = trace.clockLines[clock];
  const drift = driftPpm === null ? "" : `, ${pieces > 1 ? "on average " : ""}${formatPpm(driftPpm)}`;
  return `the ${pieces > 1 ? `line of ${pieces} pieces` : "straight line"} of clock ${name} (${formatSigned(plain)} here${drift})`;
}

/** Why the event has its corrected time. */
export function reasonOf(trace: Trace, lane: number, event: number): string {
  const { advance, recorded, corrected, clock } = trace.lanes[lane];
  const added = advance[event] ?? 0;
  const plain = corrected[event] - recorded[event] - added;
  const byClock = lineReason(trace, clock, plain);
  if (added === 0) return byClock;
  const and = `${byClock}, and ${formatSigned(added)} by the logical clock`;
  const own = constraintOf(trace, lane, event);
  if (own !== null) {
    const delay = formatDuration(trace.messages.minimumDelay[own]);
    return `${and}, which holds it ${delay} after its message's send, ${sender(trace, own)}`;
  }
  const held = nearestHeld(trace, lane, event);
  if (held === null) return `${and}, which carries on what moved others, so that intervals stay as measured`;
  return held.event < event
    ? `${and}, carried along with ${describe(trace, lane, held.event)}, which waits for ${sender(trace, held.message)}`
    : `${and}, to prepare for ${describe(trace, lane, held.event)}, which waits for ${sender(trace, held.message)}`;
}

export function explain(trace: Trace, laneNumber: number, event: number): { title: string; rows: Row[] } {
  const lane = trace.lanes[laneNumber];
  const name = trace.meta.names[lane.nameOf[event] ?? 0] ?? "";
  const kind = kKinds[lane.kind[event]] ?? "event";
  const { below, above } = boundsAt(trace, lane, event);
  const rows: Row[] = [
    { label: "recorded", text: formatEpoch(trace.origin + BigInt(Math.round(lane.recorded[event]))), state: null },
    { label: "corrected", text: formatEpoch(trace.origin + BigInt(Math.round(lane.corrected[event]))), state: null },
    { label: "moved by", text: formatSigned(lane.corrected[event] - lane.recorded[event]), state: null },
    { label: "true within", text: below === null && above === null ? "no bound on either side" : formatBounds(below, above), state: null },
    ...[...messagesAt(trace, laneNumber, event).subarray(0, 6)].map((m) => messageRow(trace, m, laneNumber)),
    { label: "because of", text: reasonOf(trace, laneNumber, event), state: null },
  ];
  return { title: `${lane.title}: ${kind}${name === "" ? "" : ` ${name}`}, event ${lane.index[event]}`, rows };
}
