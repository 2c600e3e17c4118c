// Corrected Chrome JSON, opened by Chromium's own reader of traces: the Performance panel.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reports } from "./browser";

const reports = new Reports();

beforeAll(async () => { await reports.start(); }, 60_000);
afterAll(async () => { await reports.stop(); });

const kPanel = "devtools://devtools/bundled/devtools_app.html?panel=timeline";

/** What the panel made of a file; null: it would not have it. Another version of Chromium may keep it elsewhere. */
interface Parsed { events: number; slices: number; begin_us: number; end_us: number }
const kParsed = `(async () => {
  const { TimelinePanel } = await import("devtools://devtools/bundled/panels/timeline/timeline.js");
  const model = TimelinePanel.TimelinePanel.instance().model;
  if (typeof model?.parsedTrace !== "function") return "elsewhere";
  const trace = model.parsedTrace(0);
  if (!trace) return null;
  const threads = [...trace.data.Renderer.processes.values()].flatMap((process) => [...process.threads.values()]);
  const { min, max } = trace.data.Meta.traceBounds;
  return { events: trace.traceEvents.length, slices: threads.reduce((sum, thread) => sum + thread.entries.length, 0), begin_us: min, end_us: max };
})()`;

async function openInPanel(file: string): Promise<Parsed | "elsewhere" | null> {
  const page = await reports.visit(kPanel);
  const load = page.locator('button[aria-label^="Load"]').first();
  await load.waitFor();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), load.click()]);
  await chooser.setFiles(file);
  let parsed: Parsed | "elsewhere" | null = null;
  for (let tries = 0; parsed === null && tries < 60; ++tries) {
    await page.waitForTimeout(250);
    parsed = await page.evaluate(kParsed);
  }
  await page.close();
  return parsed;
}

interface ChromeEvent { ph: string; ts: number; dur?: number }
function eventsOf(text: string): ChromeEvent[] {
  return (JSON.parse(text) as { traceEvents: ChromeEvent[] }).traceEvents;
}
const slices = (events: ChromeEvent[]): ChromeEvent[] => events.filter((event) => event.ph === "X");

describe("corrected profiles", () => {
  it("are read by Chromium's Performance panel, every event at its corrected time", async (test) => {
    reports.run("sync", ...reports.profiles(), "-o", "profiles", "--force", "--quiet");
    const events = eventsOf(gunzipSync(readFileSync(join(reports.folder, "profiles", "rank4.json.gz"))).toString());
    const parsed = await openInPanel(join(reports.folder, "profiles", "rank4.json.gz"));
    if (parsed === "elsewhere") { test.skip(); return; }
    expect(parsed?.events).toBe(events.length);
    expect(parsed?.slices).toBeGreaterThan(0);
    const begin = Math.min(...slices(events).map((event) => event.ts));
    const end = Math.max(...slices(events).map((event) => event.ts + (event.dur ?? 0)));
    expect(parsed?.begin_us).toBeLessThanOrEqual(begin + 1);
    expect(parsed?.end_us).toBeGreaterThanOrEqual(end - 1);
    const raw = eventsOf(gunzipSync(readFileSync(reports.profiles()[1])).toString());
    expect(events.length).toBe(raw.length);
    expect(begin).not.toBe(Math.min(...slices(raw).map((event) => event.ts)));
  });

  it("are read merged into one file, too", async (test) => {
    reports.run("sync", ...reports.profiles(), "-o", "profiles", "--merge", "merged.json", "--force", "--quiet");
    const events = eventsOf(readFileSync(join(reports.folder, "merged.json"), "utf8"));
    const parsed = await openInPanel(join(reports.folder, "merged.json"));
    if (parsed === "elsewhere") { test.skip(); return; }
    expect(parsed?.events).toBe(events.length);
  });
});
