// The reports of compare, filter and concurrency.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Comparison } from "../src/data/comparison";
import type { Concurrency } from "../src/data/concurrency";
import type { Filtered } from "../src/data/filtered";
import { formatCount, formatDuration } from "../src/format";
import { type Opened, plain, Reports, textOf } from "./browser";

const reports = new Reports();

beforeAll(async () => { await reports.start(); }, 60_000);
afterAll(async () => { await reports.stop(); });

// The clocks of four processes that send in a ring drift apart.
function ring(messages: number): string {
  const lines = ["clock a 1000000000", "clock b 1000000000", "clock c 1000000000", "clock <b>d</b> 1000000000",
    "process 0 a", "process 1 b", "process 2 c", "process 3 <b>d</b> <img src=x onerror=window.broken=1>"];
  const skew = [0, -60_000, 40_000, -20_000];
  for (let i = 0; i < messages; ++i) {
    const [from, to] = [i % 4, (i + 1) % 4];
    const at = 500_000 * i;
    lines.push(`${at + skew[from] + (from * at) / 2e4} ${from} send ${to} m${i}`, `${at + 20_000 + skew[to] + (to * at) / 2e4} ${to} recv ${from} m${i}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The page and its JSON, made by this command. */
function report(name: string, ...words: string[]): { file: string; json: unknown } {
  reports.run(...words, "--report", `${name}.html`, "--json", `${name}.json`, "--force", "--quiet");
  return { file: `${name}.html`, json: JSON.parse(readFileSync(join(reports.folder, `${name}.json`), "utf8")) };
}

// The page, in the light; before that on a narrow screen and in the dark as well. The browser has no word to say.
async function openSound(file: string, name: string): Promise<Opened> {
  const soundly = async (look: string, options: BrowserContextOptions): Promise<Opened> => {
    const { page, problems } = await reports.open(file, options);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
    expect(await page.evaluate("window.broken")).toBe(undefined);
    expect(problems).toEqual([]);
    await reports.picture(page, `${name}-${look}`);
    return { page, problems };
  };
  await (await soundly("narrow", { viewport: { width: 420, height: 800 } })).page.close();
  await (await soundly("dark", { colorScheme: "dark" })).page.close();
  return soundly("light", { colorScheme: "light" });
}

async function saved(page: Page, button: string): Promise<string> {
  const waiting = page.waitForEvent("download");
  await page.locator(`[title="${button}"]`).first().click();
  return readFileSync(await (await waiting).path(), "utf8");
}

describe("the report of a comparison", () => {
  it("shows every method's figures, the best one, and charts over time", async () => {
    const captures = reports.captures();
    const { file, json: made } = report("compared", "compare", ...captures, "--truth", reports.truth(), "--methods", "widest,regression,broadcast,joint");
    const json = made as Comparison;
    const { page, problems } = await openSound(file, "compare");
    expect(await textOf(page, ".verdict")).toContain(json.best?.name ?? "none");
    for (const method of json.methods) {
      const row = plain(await page.locator("#table-methods tbody tr", { has: page.locator(`th:has-text("${method.name}")`) }).first().innerText());
      expect(row).toContain(plain(formatDuration(method.bound_ns?.mean)));
      expect(row).toContain(plain(formatDuration(method.truth?.max_error_ns)));
    }
    await page.locator("#table-methods thead button", { hasText: "RMS error" }).click();
    const least = json.methods.reduce((a, b) => ((b.truth?.rms_error_ns ?? Infinity) < (a.truth?.rms_error_ns ?? Infinity) ? b : a));
    expect(plain(await page.locator("#table-methods tbody th").first().innerText())).toContain(least.name);
    await page.locator("#errors .uplot").waitFor();
    expect(await page.locator("#errors .u-legend th").count()).toBeGreaterThan(3);
    await page.locator("#bounds select").selectOption("c");
    expect(await textOf(page, "#bounds figcaption")).toContain("Bounds of clock c over time");
    expect(await saved(page, "Save compared-bounds as SVG")).toContain("broadcast");
    expect(problems).toEqual([]);
    await page.close();
  });
});

describe("the report of the filter", () => {
  it("shows what was changed, when, and which controller acted", async () => {
    reports.write("ring.txt", ring(4000));
    const { file, json: made } = report("filtered", "filter", "ring.txt", "filtered.txt", "--min-delay", "1000");
    const json = made as Filtered;
    const { page, problems } = await openSound(file, "filter");
    expect(await textOf(page, ".verdict")).toContain("after correction none is");
    expect(await textOf(page, "#clock")).toContain(`${plain(formatCount(json.logical.events_moved))} of ${plain(formatCount(json.logical.events))}`);
    for (const p of json.logical.processes) {
      expect(plain(await page.locator("#table-processes tbody").innerText())).toContain(plain(formatDuration(p.largest_advance_ns)));
    }
    expect(await textOf(page, "#table-pairs")).toContain("a → b");
    await expect.poll(() => page.locator("#quality .uplot").count()).toBe(5);
    const sums = (await saved(page, "Save the data of controllers as CSV")).trim().split("\r\n").slice(1)
      .map((line) => line.split(",").slice(2).map(Number)).reduce((a, b) => a.map((n, i) => n + b[i]));
    expect(sums).toEqual(Object.values(json.logical.controllers.events));
    expect(problems).toEqual([]);
    await page.close();
  });

  it("has nothing over time where nothing was changed, and can be made of the JSON alone", async () => {
    reports.write("still.txt", "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n0 0 send 1 m\n50 1 recv 0 m\n");
    const { file } = report("still", "filter", "still.txt", "still-out.txt");
    const { page, problems } = await reports.open(file);
    expect(await page.locator("#quality").count()).toBe(0);
    await page.close();
    reports.run("report", "filtered.json", "-o", "alone.html", "--force");
    const alone = await reports.open("alone.html");
    expect(await textOf(alone.page, ".verdict")).toContain("after correction none is");
    expect(await alone.page.locator("#quality").count()).toBe(0);
    expect([...problems, ...alone.problems]).toEqual([]);
    await alone.page.close();
  });
});

describe("the report of concurrency", () => {
  it("shows measures of the whole, of processes and of regions, and who waited for whom", async () => {
    reports.write("work.txt", ring(4000));
    const { file, json: made } = report("concurrent", "concurrency", "work.txt", "--waits", "receives");
    const json = made as Concurrency;
    const { page, problems } = await openSound(file, "concurrency");
    expect(await textOf(page, ".verdict")).toMatch(/^\d.* % of the processes' time was spent waiting, process 0 most, for <img /);
    expect(await textOf(page, "#verdict")).toContain(`α = ${(json.computation.alpha ?? -1).toFixed(3)}`);
    expect(await textOf(page, "#table-processes")).toContain("<img src=x onerror=window.broken=1>");
    const first = json.regions[0];
    expect(await textOf(page, "#table-least-alpha tbody tr")).toContain((first.alpha ?? -1).toFixed(3));
    expect(await textOf(page, "#table-waited-for")).toContain(plain(formatDuration(json.waited_for[0].delayed_ns)));
    const regions = (await saved(page, "Save the data of waits-over-time as CSV")).trim().split("\r\n").slice(1)
      .reduce((sum, line) => sum + Number(line.split(",")[2]), 0);
    expect(regions).toBe(json.processes.reduce((sum, p) => sum + p.regions, 0));
    expect(problems).toEqual([]);
    await page.close();
  });
});
