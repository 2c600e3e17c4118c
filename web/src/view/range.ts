// What is said of the selected time: messages and delays by direction, and who waited.

import { hasMinimumDelay, type Trace } from "../data/trace";
import type { Delays, RangeFigures } from "../diagram/selection";
import { span } from "../diagram/viewport";
import { button, h } from "../dom";
import { counted, formatCount, formatDuration, formatInstant, formatPercent } from "../format";
import { cell, sortableTable, textCell, type Cell, type Column } from "./table";

const kMostRows = 200;

const kColumns = (hasMinimum: boolean): Column[] => [
  { title: "direction", isNumber: false, hint: "From the sender's clock to the receiver's" }, { title: "messages", isNumber: true, hint: "Messages sent within the time" },
  { title: "inverted", isNumber: true, hint: "Received before sent: as recorded → corrected" },
  ...(hasMinimum ? [{ title: "too fast", isNumber: true, hint: "Below the minimum delay: as recorded → corrected" }] : []),
  { title: "least delay", isNumber: true, hint: "As recorded → corrected" },
  { title: "median delay", isNumber: true, hint: "As recorded → corrected" },
  { title: "largest delay", isNumber: true, hint: "As recorded → corrected" }];

function change(before: number, after: number, format: (n: number) => string, isBad = false): Cell {
  return cell(`${format(before)} → ${format(after)}`, after, isBad && after > 0);
}

function directionsTable(trace: Trace, figures: RangeFigures): HTMLElement {
  const hasMinimum = hasMinimumDelay(trace);
  const rows = figures.directions.slice(0, kMostRows).map((d): Cell[] => {
    const delay = (of: (delays: Delays) => number): Cell => change(of(d.recorded), of(d.corrected), formatDuration);
    return [textCell(`${trace.clockNames[d.from] ?? ""} → ${trace.clockNames[d.to] ?? ""}`), cell(formatCount(d.messages), d.messages),
      change(d.recorded.inverted, d.corrected.inverted, formatCount, true),
      ...(hasMinimum ? [change(d.recorded.tooFast, d.corrected.tooFast, formatCount)] : []),
      delay((x) => x.least), delay((x) => x.median), delay((x) => x.most)];
  });
  return sortableTable("selection", kColumns(hasMinimum), rows);
}

function waitingText(trace: Trace, figures: RangeFigures): string {
  if (!figures.isWaitingKnown) return "Waiting was not recorded.";
  if (figures.waiting.length === 0) return "Nobody waited.";
  const length = Math.max(1, span(figures.range));
  const sum = figures.waiting.reduce((total, w) => total + w.time, 0);
  const first = figures.waiting.slice(0, 5).map((w) => `${trace.lanes[w.lane].title} (${formatDuration(w.time)}, ${formatPercent(w.time / length)})`);
  const rest = figures.waiting.length - first.length;
  return `Waited: ${formatDuration(sum)} by ${counted(figures.waiting.length, "process").replace(/processs$/, "processes")}: ` +
    `${first.join(", ")}${rest > 0 ? ` and ${formatCount(rest)} more` : ""}.`;
}

function collectivesText({ ofCollectives: of }: RangeFigures): string {
  return of.total === 0 ? "" : `Of ${counted(of.total, "message")} that collectives stand for, ${formatCount(of.invertedRecorded)} inverted as recorded, ` +
    `${formatCount(of.invertedCorrected)} corrected. `;
}

/** `zoom` shows the selected time alone, `clear` takes the selection away. */
export function rangePanel(trace: Trace, figures: RangeFigures, zoom: () => void, clear: () => void): HTMLElement {
  const { from, to } = figures.range;
  const inverted = figures.directions.reduce((sum, d) => [sum[0] + d.recorded.inverted, sum[1] + d.corrected.inverted], [0, 0]);
  const hidden = figures.directions.length - kMostRows;
  return h("div", {},
    h("p", {}, h("strong", {}, `Selected: ${formatDuration(to - from)}`), `, from ${formatInstant(from)} to ${formatInstant(to)}: ` +
      `${counted(figures.events, "event")}, ${counted(figures.messages, "message")} sent, ` +
      `${formatCount(inverted[0])} inverted as recorded, ${formatCount(inverted[1])} corrected. ${collectivesText(figures)}`,
    button("zoom to it", "Show the selected time alone", zoom), " ", button("clear", "Take the selection away (Escape)", clear)),
    h("p", { title: "From a recorded wait to the next send or receive, within collectives, and in calls that receive until the message was sent" },
      waitingText(trace, figures)),
    figures.directions.length === 0 ? null : directionsTable(trace, figures),
    hidden > 0 ? h("p", { class: "hint" }, `${counted(hidden, "direction")} with fewer messages are left out.`) : null);
}
