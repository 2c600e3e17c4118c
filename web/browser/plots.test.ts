// What can be done with the plots: cursor, zoom, legend, keys, print.

import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plain, Reports } from "./browser";

const reports = new Reports();
let sample = "";

beforeAll(async () => {
  await reports.start();
  sample = reports.sample();
}, 60_000);
afterAll(async () => { await reports.stop(); });

function figureOf(page: Page, stem: string): Locator {
  return page.locator("figure", { has: page.locator(`[aria-label="Save ${stem}"]`) });
}

async function svgOf(figure: Locator): Promise<string> {
  const waiting = figure.page().waitForEvent("download");
  await figure.getByRole("button", { name: "SVG" }).click();
  // The name of the clip is another each time.
  return readFileSync(await (await waiting).path(), "utf8").replace(/plot-\w+/g, "plot");
}

interface Box { x: number; y: number; width: number; height: number }
async function areaOf(figure: Locator): Promise<Box> {
  await figure.locator(".u-over").scrollIntoViewIfNeeded();
  const box = await figure.locator(".u-over").boundingBox();
  if (box === null) throw new Error("there is no plot");
  return box;
}

async function valuesOf(figure: Locator): Promise<Record<string, string>> {
  const rows = await figure.locator(".u-legend tr:visible").evaluateAll((all) =>
    all.map((row) => [row.querySelector("th")?.textContent ?? "", row.querySelector("td")?.textContent ?? ""]));
  return Object.fromEntries(rows.map(([name, value]) => [name, plain(value)]));
}

describe("a plot over time", () => {
  it("tells the values of all series under the cursor, and those of its neighbours at the same time", async () => {
    const { page, problems } = await reports.open(sample);
    const offsets = figureOf(page, "offsets");
    const area = await areaOf(offsets);
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 3);
    const values = await valuesOf(offsets);
    expect(Object.keys(values)).toEqual(["time", "a", "b", "c", "d"]);
    expect(values.time).toMatch(/^3\d\.\d{3} \d{3} \d{3} s$/);
    expect(values.a).toMatch(/^−?\d+\.\d{3}( \d{3})* (µs|ms)$/);
    const bounds = await valuesOf(figureOf(page, "bounds"));
    expect(bounds.time).toBe(values.time);
    expect(bounds["possible offsets"]).toMatch(/ … /);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("zooms to what is dragged over, and shows all again after a double click", async () => {
    const { page } = await reports.open(sample);
    const figure = figureOf(page, "offsets");
    const all = await svgOf(figure);
    const area = await areaOf(figure);
    const drag = async (fromX: number, fromY: number, toX: number, toY: number): Promise<void> => {
      await page.mouse.move(area.x + fromX * area.width, area.y + fromY * area.height);
      await page.mouse.down();
      await page.mouse.move(area.x + toX * area.width, area.y + toY * area.height, { steps: 5 });
      await page.mouse.up();
    };
    await drag(0.4, 0.5, 0.5, 0.5);
    const closer = await svgOf(figure);
    // A tenth of some 62 seconds has ticks at whole seconds.
    expect(closer).toMatch(/>26<[^]*>27<[^]*>28</);
    await drag(0.2, 0.2, 0.8, 0.8);
    expect(await svgOf(figure)).not.toBe(closer);
    await page.mouse.dblclick(area.x + area.width / 2, area.y + area.height / 2);
    await expect.poll(() => svgOf(figure)).toBe(all);
    await page.close();
  });

  it("hides the series whose name is clicked", async () => {
    const { page } = await reports.open(sample);
    const figure = figureOf(page, "offsets");
    expect(await svgOf(figure)).toContain(">c</text>");
    const name = figure.locator(".u-legend th", { hasText: /^c$/ });
    await name.click();
    expect(await name.getAttribute("aria-checked")).toBe("false");
    expect(await svgOf(figure)).not.toContain(">c</text>");
    await name.press("Enter");
    expect(await svgOf(figure)).toContain(">c</text>");
    await page.close();
  });

  it("can be used by keys and by buttons alone", async () => {
    const { page, problems } = await reports.open(sample);
    const figure = figureOf(page, "bounds");
    const all = await svgOf(figure);
    await figure.locator(".stage").focus();
    await page.keyboard.press("ArrowRight");
    const before = await valuesOf(figure);
    await page.keyboard.press("ArrowRight");
    expect((await valuesOf(figure)).time > before.time).toBe(true);
    await page.keyboard.press("+");
    const closer = await svgOf(figure);
    expect(closer).not.toBe(all);
    await figure.locator(".stage").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("ArrowUp");
    expect(await svgOf(figure)).not.toBe(closer);
    await figure.locator(".stage").focus();
    await page.keyboard.press("Escape");
    expect((await valuesOf(figure)).time).toBe("");
    await page.keyboard.press("Home");
    expect(await svgOf(figure)).toBe(all);
    await figure.getByRole("button", { name: "+" }).click();
    expect(await svgOf(figure)).not.toBe(all);
    await figure.getByRole("button", { name: "all" }).click();
    expect(await svgOf(figure)).toBe(all);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("zooms to some nanoseconds", async () => {
    const { page, problems } = await reports.open(sample);
    const figure = figureOf(page, "corridor");
    await areaOf(figure);
    await figure.locator(".stage").focus();
    for (let i = 0; i < 60; ++i) await page.keyboard.press("+");
    expect(plain(await svgOf(figure))).toMatch(/\(ns beyond \d+\.[\d ]+ s\)/);
    await reports.picture(page, "deep");
    expect(problems).toEqual([]);
    await page.close();
  });

  it("is printed as SVG in the colors of the page", async () => {
    const { page } = await reports.open(sample);
    await figureOf(page, "offsets").locator(".uplot").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const figure = figureOf(page, "offsets");
    expect(await figure.locator(".print svg").isVisible()).toBe(true);
    expect(await figure.locator(".uplot").isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: "screen" });
    expect(await figure.locator(".print svg").count()).toBe(0);
    expect(await figure.locator(".uplot").isVisible()).toBe(true);
    await page.close();
  });
});
