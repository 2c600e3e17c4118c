// The panel around the space-time diagram: switch and slider, search, jumps, statistics, details.

import { delayOf, hasMinimumDelay, State, stateOf, type Trace } from "../data/trace";
import { Diagram } from "../diagram/diagram";
import { countNamed, nextFound } from "../diagram/jumps";
import { Overview } from "../diagram/overview";
import { explain } from "../diagram/explain";
import type { Marked } from "../diagram/arrows";
import { delaysOf, kMostMessages, type Scene, type Show } from "../diagram/scene";
import { figuresOf } from "../diagram/selection";
import { span, type View } from "../diagram/viewport";
import { button, h, hasKeyboard, menu, section } from "../dom";
import { saveButtons, type Table } from "../figures/save";
import { counted, formatCount, formatDuration, formatInstant, isDate } from "../format";
import { rangePanel } from "./range";

const kShows: { name: string; show: Show }[] = [
  { name: "all messages", show: "all" }, { name: "inverted messages only", show: "inverted" },
  { name: "too-fast messages only", show: "too-fast" }, { name: "no messages", show: "none" }];

function details(trace: Trace, marked: Marked): HTMLElement {
  const { title, rows } = explain(trace, marked.lane, marked.event);
  return h("div", {}, h("strong", {}, title), h("dl", {}, ...rows.flatMap((row) => [
    h("dt", {}, row.label),
    h("dd", { class: row.state === State.inverted ? "bad" : row.state === State.tooFast ? "warn" : "" }, row.text)])));
}

function ofCollectives(count: number): string {
  return count === 0 ? "" : ` (${formatCount(count)} of collectives)`;
}

function statistics(trace: Trace, scene: Scene): string {
  const parts = [`${formatDuration(span(scene.view))} in view: ${counted(scene.events, "event")}, ${counted(scene.messages, "message")}${ofCollectives(scene.ofCollectives)}`];
  if (scene.inverted > 0) parts.push(`${formatCount(scene.inverted)} inverted${ofCollectives(scene.invertedOfCollectives)}`);
  if (scene.tooFast > 0) parts.push(`${formatCount(scene.tooFast)} too fast`);
  const delays = delaysOf(trace, scene);
  if (delays !== null) {
    parts.push(`delays ${formatDuration(delays.smallest)} to ${formatDuration(delays.largest)}, median ${formatDuration(delays.median)}`);
  }
  return `${parts.join(", ")}.`;
}

function notice(trace: Trace, scene: Scene): string {
  const notes: string[] = [];
  if (!scene.areMessagesDrawn) {
    const reason = scene.messages > kMostMessages ? `too many for arrows (${formatCount(kMostMessages)} at most)` : "too many for arrows as long as theirs";
    notes.push(`${formatCount(scene.messages)} messages are ${reason}: ` +
      "shown is how many events there are, red where they belong to inverted messages. Zoom in or filter to see arrows.");
  } else if (!scene.areEventsDrawn) {
    notes.push(`${formatCount(scene.events)} events are too many for dots: shown is how many there are. Zoom in to see each.`);
  }
  const { meta, window } = trace;
  if (window !== null) {
    const outside = scene.view.from < window[0] || scene.view.to > window[1];
    notes.push(`This report holds the events from ${formatInstant(window[0])} to ${formatInstant(window[1])} ` +
      (meta.window_chosen ? "(all are too many; --report-window FROM..TO chooses others)" : "(--report-window)") +
      `; ${counted(meta.messages_left_out, "message")} with an end outside are left out.` +
      (outside && scene.share === 1 ? " Elsewhere, grey shows how many events there are." : ""));
  }
  return notes.join(" ");
}

/** What the page opens with, in a sentence; empty: there are no messages. */
export function exampleText(trace: Trace, m: number | null): string {
  if (m === null) return "";
  const { messages, lanes } = trace;
  const [from, to] = [lanes[messages.from[m]], lanes[messages.to[m]]];
  const [before, after] = [delayOf(trace, m, 0), formatDuration(delayOf(trace, m, 1))];
  const state = stateOf(trace, m, 0);
  if (messages.isCollective[m] === 1) {
    const [first, last] = [trace.clockNames[from.clock], trace.clockNames[to.clock]];
    return `For example a collective: recorded as ended on ${last} ${formatDuration(Math.abs(before))} ` +
      `${before < 0 ? "before" : "after"} it began on ${first}; corrected, ${after} after that.`;
  }
  const what = `For example a message from ${from.title} to ${to.title}: recorded as`;
  switch (state) {
    case State.inverted: return `${what} received ${formatDuration(-before)} before it was sent; corrected, it takes ${after}.`;
    case State.tooFast: return `${what} taking ${formatDuration(before)}, less than it can; corrected, it takes ${after}.`;
    case State.fine: return `${what} taking ${formatDuration(before)}; corrected, it takes ${after}.`;
  }
}

export class SpaceTime {
  readonly element: HTMLElement;
  readonly diagram: Diagram;
  private readonly overview: Overview;
  private readonly both = button("both", "Recorded times above corrected ones, of the same events (key b)", () => { this.diagram.showBoth(); });
  private readonly tooltip = h("div", { class: "tooltip", hidden: true });
  private readonly chosen = h("div", { class: "chosen", "aria-live": "polite" });
  private readonly range = h("div", { class: "range", "aria-live": "polite", hidden: true });
  private readonly foldButton = button("", "One row for all processes of a clock, or one for each (key e)", () => { this.toggleFolds(); });
  private readonly figures = h("p", { class: "statistics" });
  private readonly note = h("p", { class: "notice", role: "status" });
  private readonly slider = h("input", { type: "range", min: 0, max: 1000, value: 1000,
    "aria-label": "from recorded to corrected times" });
  private readonly recorded = button("recorded", "Times as they were recorded", () => { this.diagram.animateTo(0); });
  private readonly corrected = button("corrected", "Times as they were corrected", () => { this.diagram.animateTo(1); });
  private readonly pairNote = h("span", { class: "pair" });
  private hoverKey = "";
  private found = { names: new Set<number>(), lanes: new Set<number>() };

  constructor(private readonly trace: Trace) {
    this.diagram = new Diagram(trace, {
      onScene: (scene) => { this.describe(scene); },
      onHover: (marked, x, y) => { this.hover(marked, x, y); },
      onSelect: (marked) => { this.choose(marked); },
      onShare: (share) => { this.showShare(share); },
      onRange: (range, isFinal) => { this.showRange(range, isFinal); },
      onFold: () => { this.showFolds(); },
    });
    this.slider.addEventListener("input", () => { this.diagram.setShare(Number(this.slider.value) / 1000); });
    this.overview = new Overview(this.diagram);
    this.element = section("spacetime", "Space and time", this.exampleLine(), this.toolbar(),
      h("div", { class: "diagram" }, this.overview.canvas, this.diagram.canvas, this.tooltip), this.searchbar(), this.note, this.figures,
      this.legend(), this.range, this.chosen);
    this.showShare(1);
    this.showFolds();
    this.choose(this.diagram.selection);
  }

  /** Shows only messages between two clocks, and the lanes of these. */
  filterPair(from: number, to: number): void {
    const lanes = this.trace.lanes.flatMap((lane, i) => (lane.clock === from || lane.clock === to ? [i] : []));
    this.diagram.setFilter({ lanes, pair: { from, to, bothWays: from === to } });
    const names = this.trace.clockNames;
    this.pairNote.replaceChildren(`only ${names[from] ?? ""} → ${names[to] ?? ""} `,
      button("show all", "Show all processes and messages", () => { this.clearFilter(); }));
    this.element.scrollIntoView();
  }

  private clearFilter(): void {
    this.diagram.setFilter({ lanes: this.trace.lanes.map((_, i) => i), pair: null });
    this.pairNote.replaceChildren();
  }

  private exampleLine(): HTMLElement | null {
    const { diagram, trace } = this;
    const text = exampleText(trace, diagram.example);
    return text === "" ? null : h("p", { class: "example" }, `${text} `,
      button("show it", "Go back to it, with recorded times above corrected ones", () => { diagram.goToExample(); }));
  }

  private toolbar(): HTMLElement {
    const { diagram } = this;
    return h("div", { class: "toolbar" },
      h("span", { class: "switch", role: "group", "aria-label": "Times" }, this.both, this.recorded, this.slider, this.corrected),
      h("span", { role: "group", "aria-label": "Zoom" },
        button("+", "Closer (key +)", () => { diagram.zoom(0.5); }), button("−", "Wider (key −)", () => { diagram.zoom(2); }),
        button("all", "The whole trace (key Home)", () => { diagram.show(diagram.whole()); })),
      h("span", { role: "group", "aria-label": "Jumps" },
        button("◂ inversion", "The inverted message before (key p)", () => { this.jump(diagram.goToInversion(-1)); }),
        button("inversion ▸", "The next inverted message (key n)", () => { this.jump(diagram.goToInversion(1)); }),
        diagram.largestChange === null ? null :
          button("largest change", "The event that the logical clock moved furthest (key l)", () => { diagram.goToLargestChange(); })),
      diagram.foldable.length > 0 ? h("span", {}, this.foldButton) : null,
      isDate(this.trace.origin) ? this.clockButton() : null,
      saveButtons("space-time", () => diagram.toSvg(), () => this.table()));
  }

  private clockButton(): HTMLElement {
    const { diagram } = this;
    const element = button("time of day", "Times of day on the axis (UTC), instead of seconds since the first event", () => {
      diagram.showsTimesOfDay = !diagram.showsTimesOfDay;
      element.setAttribute("aria-pressed", String(diagram.showsTimesOfDay));
    });
    element.setAttribute("aria-pressed", "false");
    return element;
  }

  private searchbar(): HTMLElement {
    const search = h("input", { type: "search", placeholder: "process, clock or event name",
      "aria-label": "Show only processes whose name, or mark events whose name, has this in it" });
    search.addEventListener("input", () => { this.search(search.value); });
    search.addEventListener("keydown", (event) => { if (event.key === "Enter") this.goToFound(); });
    const shows = kShows.filter(({ show }) => show !== "too-fast" || hasMinimumDelay(this.trace));
    const time = h("input", { type: "text", inputmode: "decimal", size: 14, placeholder: "seconds",
      "aria-label": "Go to this time, in seconds since the first event" });
    const go = (): void => {
      const seconds = Number(time.value.replaceAll(/[\s\u202f]/g, ""));
      if (time.value.trim() !== "" && Number.isFinite(seconds)) this.diagram.goTo(seconds * 1e9);
    };
    time.addEventListener("keydown", (event) => { if (event.key === "Enter") go(); });
    return h("div", { class: "toolbar" }, h("label", { class: "field" }, "search ", search),
      menu("show", shows.map((s) => s.name), (i) => { this.diagram.setFilter({ show: shows[i].show }); }),
      h("label", { class: "field" }, "go to ", time), button("go", "Go to this time", go), this.pairNote);
  }

  private search(text: string): void {
    const wanted = text.trim().toLowerCase();
    const { lanes, clockNames, meta } = this.trace;
    const all = lanes.map((_, i) => i);
    this.pairNote.replaceChildren();
    const found = all.filter((i) => [lanes[i].name, lanes[i].label, clockNames[lanes[i].clock] ?? ""]
      .some((name) => name.toLowerCase().includes(wanted)));
    const names = meta.names.flatMap((name, i) => (i > 0 && wanted !== "" && name.toLowerCase().includes(wanted) ? [i] : []));
    this.diagram.setFilter({ lanes: wanted === "" || found.length === 0 ? all : found, pair: null });
    this.diagram.setHighlight(new Set(names));
    this.found = { names: new Set(names), lanes: new Set(wanted === "" || names.length > 0 ? [] : found) };
    if (wanted === "") return;
    const counts = [...(found.length > 0 ? [formatCount(found.length) + (found.length === 1 ? " process" : " processes")] : []),
      ...(names.length > 0 ? [counted(countNamed(this.trace, this.found.names), "event")] : [])];
    this.pairNote.replaceChildren(counts.length === 0 ? "none found" : `${counts.join(", ")} found (Enter: the next)`);
  }

  private goToFound(): void {
    const { selection } = this.diagram;
    const after = selection === null ? -Infinity : this.trace.lanes[selection.lane].corrected[selection.event];
    const next = nextFound(this.trace, this.found.names, this.found.lanes, after);
    if (next !== null) this.diagram.goToMarked(next);
  }

  private jump(isFound: boolean): void {
    if (!isFound) this.chosen.replaceChildren(h("p", {}, "There is nothing like that in this trace."));
  }

  private describe(scene: Scene): void {
    this.figures.textContent = statistics(this.trace, scene);
    this.overview.draw();
    const text = notice(this.trace, scene);
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = text === "";
  }

  private hover(marked: Marked | null, x: number, y: number): void {
    const key = marked === null ? "" : `${marked.lane} ${marked.event} ${marked.message ?? ""}`;
    this.tooltip.hidden = marked === null;
    if (marked !== null && key !== this.hoverKey) this.tooltip.replaceChildren(details(this.trace, marked));
    this.hoverKey = key;
    if (marked === null) return;
    const parent = this.diagram.canvas.getBoundingClientRect();
    const left = x + 18 + this.tooltip.offsetWidth > parent.width ? x - 18 - this.tooltip.offsetWidth : x + 18;
    this.tooltip.style.left = `${Math.max(0, left)}px`;
    this.tooltip.style.top = `${y + 14}px`;
  }

  private toggleFolds(): void {
    this.diagram.fold(this.diagram.currentFilter.folded.size > 0 ? [] : this.diagram.foldable);
  }

  private showFolds(): void {
    this.foldButton.textContent = this.diagram.currentFilter.folded.size > 0 ? "▾ every process" : "▸ clocks only";
  }

  // While somebody drags, the diagram itself says how long the selection is.
  private showRange(range: View | null, isFinal: boolean): void {
    this.range.hidden = range === null;
    if (range === null || !isFinal) return;
    const { diagram, trace } = this;
    this.range.replaceChildren(rangePanel(trace, figuresOf(trace, diagram.regions, range, diagram.share, diagram.currentFilter),
      () => { diagram.show(range); }, () => { diagram.selectRange(null); }));
  }

  private choose(marked: Marked | null): void {
    this.chosen.replaceChildren(marked === null
      ? h("p", { class: "hint" }, "Tap an event or an arrow to keep its details here. Drag to move." + (hasKeyboard()
        ? " With Shift, dragging selects a time; after a click into the diagram the wheel zooms (else Ctrl and wheel), and the keys " +
          "← → + − Home n p l b c s e work." : ""))
      : details(this.trace, marked));
  }

  private showShare(share: number): void {
    this.slider.value = String(Math.round(share * 1000));
    const { isBoth } = this.diagram;
    this.both.setAttribute("aria-pressed", String(isBoth));
    this.recorded.setAttribute("aria-pressed", String(share === 0));
    this.corrected.setAttribute("aria-pressed", String(share === 1 && !isBoth));
    this.hover(null, 0, 0);
  }

  private legend(): HTMLElement {
    const entry = (color: string, text: string): HTMLElement => h("span", {}, h("i", { style: `background:var(--${color})` }), text);
    return h("p", { class: "legend" }, entry("event", "event"), entry("message", "message"),
      this.trace.messages.isCollective.includes(1) ? entry("collective", "what a collective waits for") : null,
      entry("inverted", "inverted: received before sent"), hasMinimumDelay(this.trace) ? entry("fast", "too fast: below the minimum delay") : null,
      ...this.regionEntries(entry));
  }

  private regionEntries(entry: (color: string, text: string) => HTMLElement): HTMLElement[] {
    const { regions, tints } = this.diagram;
    if (regions.every((levels) => levels.length === 0)) return [];
    const named = [...tints].map(([name, color]) => entry(color, this.trace.meta.names[name] ?? ""));
    return [...named, entry("band", named.length === 0 ? "region" : "other regions, or many short ones")];
  }

  /** The messages drawn, with both times. */
  private table(): Table {
    const { trace } = this;
    const scene = this.diagram.currentScene;
    const rows = scene.drawn.map((m): (string | number)[] => {
      const from = trace.lanes[trace.messages.from[m]];
      const to = trace.lanes[trace.messages.to[m]];
      const [s, r] = [trace.messages.send[m], trace.messages.receive[m]];
      return [from.name, from.index[s], to.name, to.index[r], from.recorded[s], to.recorded[r], from.corrected[s], to.corrected[r]];
    });
    return [["from", "send event", "to", "receive event", "send recorded ns", "receive recorded ns",
      "send corrected ns", "receive corrected ns"], ...rows];
  }
}
