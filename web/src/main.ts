// The page: reads the data that the program put into it, and builds the report.

import type { Comparison } from "./data/comparison";
import type { Concurrency } from "./data/concurrency";
import type { Filtered } from "./data/filtered";
import type { Meta } from "./data/meta";
import type { Origin, Summary } from "./data/summary";
import { decodeTrace, type Trace } from "./data/trace";
import { h } from "./dom";
import "./style.css";
import { clocks } from "./view/clocks";
import { comparisonSections } from "./view/compared";
import { concurrencySections } from "./view/concurrent";
import { filterSections } from "./view/filtered";
import { matrix } from "./view/matrix";
import { quality } from "./view/quality";
import { SpaceTime } from "./view/spacetime";
import { findings, methodRows, origin, pairs, verdict } from "./view/verdict";

const kVersion = 2;

function contentOf(id: string): string {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`this page has no ${id}: it is a template without data`);
  return element.textContent ?? "";
}

function readTrace(meta: Meta, summary: Summary): Trace | null {
  return meta.trace === null ? null : decodeTrace(meta.trace, contentOf("events"), summary);
}

function titleOf(summary: Origin, meta: Meta): string {
  const inputs: { path: string; clocks?: string[] }[] = (summary.inputs ?? meta.inputs).map(
    (input) => typeof input === "string" ? { path: input } : input);
  const files = inputs.map((input) => input.path.split("/").pop() ?? input.path);
  // Recorders of several hosts often give their folders the same names.
  const isTold = new Set(files).size === files.length;
  const names = isTold ? files : inputs.map((input, i) => input.clocks?.join(", ") ?? files[i]);
  if (names.length === 0) return summary.command ?? "";
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

function navigation(sections: HTMLElement[]): HTMLElement {
  return h("nav", { "aria-label": "Parts of the report" }, ...sections.map((s) =>
    h("a", { href: `#${s.id}` }, s.querySelector("h2")?.textContent ?? "")));
}

function syncSections(summary: Summary, meta: Meta): (HTMLElement | null)[] {
  const trace = readTrace(meta, summary);
  const spacetime = trace === null ? null : new SpaceTime(trace);
  const choose = spacetime === null ? null : (from: number, to: number): void => { spacetime.filterPair(from, to); };
  if (spacetime !== null) Object.assign(window, { syncline: { diagram: spacetime.diagram } });
  return [verdict(summary), spacetime?.element ?? null, clocks(trace, summary), pairs(summary),
    trace === null ? null : quality(trace, summary, meta.timeline), matrix(summary, choose), findings(summary, meta),
    origin(summary, meta, methodRows(summary))];
}

// The sections by the command whose JSON the summary is.
function sectionsOf(summary: unknown, meta: Meta): (HTMLElement | null)[] {
  switch (meta.kind) {
    case "sync": return syncSections(summary as Summary, meta);
    case "compare": return comparisonSections(summary as Comparison, meta);
    case "filter": return filterSections(summary as Filtered, meta);
    case "concurrency": return concurrencySections(summary as Concurrency, meta);
  }
}

function build(): HTMLElement[] {
  const summary = JSON.parse(contentOf("summary")) as Origin;
  const meta = JSON.parse(contentOf("meta")) as Meta;
  if (meta.version !== kVersion) throw new Error(`this page reads version ${kVersion} of the data, not ${meta.version}`);
  const parts = sectionsOf(summary, meta).filter((part): part is HTMLElement => part !== null);
  const title = titleOf(summary, meta);
  document.title = `${title} – Syncline report`;
  return [h("header", {}, h("h1", {}, "Syncline"), h("span", { class: "subject" }, title)), navigation(parts), ...parts];
}

const place = document.getElementById("report");
try {
  place?.replaceChildren(...build());
} catch (error) {
  place?.replaceChildren(h("p", { class: "bad" }, `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
}
