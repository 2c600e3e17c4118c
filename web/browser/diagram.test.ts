// What the diagram shows of regions, clocks with several processes, and selected times.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reports, textOf } from "./browser";

const reports = new Reports();

beforeAll(async () => { await reports.start(); }, 60_000);
afterAll(async () => { await reports.stop(); });

async function svgOf(page: Page): Promise<string> {
  const waiting = page.waitForEvent("download");
  await page.locator('[title="Save space-time as SVG"]').click();
  return readFileSync(await (await waiting).path(), "utf8");
}

// Clock a has two processes, b one; b is 1 µs ahead. Messages take 10 ns, one every 100 ns; process 2
// waits for each, and 0 works in a region whose name looks like markup.
function twoOnOneClock(messages: number): string {
  const lines = ["clock a 1000000000", "clock b 1000000000", "process 0 a", "process 1 a", "process 2 b"];
  for (let i = 0; i < messages; ++i) {
    const at = 100 * i;
    lines.push(`${at} 0 enter <i>work</i>`, `${1000 + at} 2 block`, `${at + 40} 0 leave <i>work</i>`, `${at + 40} 0 send 2 m${i}`,
      `${1000 + at + 50} 2 recv 0 m${i}`, `${1000 + at + 60} 2 send 1 n${i}`, `${at + 70} 1 recv 2 n${i}`);
  }
  return `${lines.join("\n")}\n`;
}

describe("a trace with two processes on one clock", () => {
  let file = "";
  beforeAll(() => { file = reports.text("two", twoOnOneClock(20), "--reference", "a"); });

  it("has a row for each, or one for the clock", async () => {
    const { page, problems } = await reports.open(file);
    expect(await svgOf(page)).not.toContain("2 processes");
    await page.getByRole("button", { name: "▸ clocks only" }).click();
    const folded = await svgOf(page);
    expect(folded).toContain("2 processes");
    // The clock's row is unfolded by a click on its name.
    await page.locator(".diagram canvas:not(.overview)").click({ position: { x: 30, y: 60 } });
    expect(await svgOf(page)).not.toContain("2 processes");
    await page.locator(".diagram canvas:not(.overview)").focus();
    await page.keyboard.press("e");
    await expect.poll(async () => svgOf(page)).toBe(folded);
    await reports.picture(page, "folded");
    expect(problems).toEqual([]);
    await page.close();
  });

  it("tells of a selected time what was sent in it, and who waited", async () => {
    const { page, problems } = await reports.open(file);
    expect(await page.locator(".range").isHidden()).toBe(true);
    await page.locator(".diagram canvas:not(.overview)").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("s");
    const all = await textOf(page, ".range");
    expect(all).toContain("140 events, 40 messages sent, 20 inverted as recorded, 0 corrected");
    // 2 waits 50 ns of every 100.
    expect(all).toContain("Waited: 1.0 µs by 1 process: process 2 (1.0 µs, ");
    expect(await textOf(page, "#table-selection tbody")).toMatch(/a → b\s+20\s/);
    await page.keyboard.press("Escape");
    expect(await page.locator(".range").isHidden()).toBe(true);
    for (let i = 0; i < 3; ++i) await page.keyboard.press("Shift+ArrowRight");
    expect(await textOf(page, ".range")).toMatch(/^Selected: \d+ ns/);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("selects by dragging with Shift, and zooms to it", async () => {
    const { page } = await reports.open(file);
    await page.locator(".diagram canvas:not(.overview)").scrollIntoViewIfNeeded();
    const box = await page.locator(".diagram canvas:not(.overview)").boundingBox();
    if (box === null) throw new Error("there is no diagram");
    const before = await textOf(page, ".statistics");
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 90, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    expect(await textOf(page, ".range")).toMatch(/^Selected: \d+ ns, from 0\.000 000 \d+ s/);
    expect(await textOf(page, ".statistics")).toBe(before);
    await reports.picture(page, "selected");
    await page.getByRole("button", { name: "zoom to it" }).click();
    await expect.poll(async () => textOf(page, ".statistics")).not.toBe(before);
    await page.close();
  });

  it("shows names of regions as text", async () => {
    const { page, problems } = await reports.open(file);
    expect(await page.locator(".legend").innerText()).toContain("<i>work</i>");
    await page.locator(".diagram canvas:not(.overview)").focus();
    for (const key of ["Escape", "Home", ...Array<string>(6).fill("+")]) await page.keyboard.press(key);
    expect(await svgOf(page)).toContain("&#60;i&#62;work&#60;/i&#62;");
    expect(problems).toEqual([]);
    await page.close();
  });
});

describe("an OTF2 archive", () => {
  it("shows its regions in the processes' rows", async () => {
    reports.run("simulate", "ring", "--processes", "4", "--steps", "30", "--format", "otf2", "--detail", "calls", "--clock", "*:drift=~50ppm", "-o", "ring", "--force", "--quiet");
    reports.run("sync", "ring/trace/traces.otf2", "-o", "ring-out", "--report", "ring.html", "--force", "--quiet");
    const { page, problems } = await reports.open("ring.html");
    expect(await page.locator(".legend").innerText()).toContain("MPI_Recv");
    const svg = await svgOf(page);
    // The colors of regions by the time spent in them, as in style.css.
    expect(svg).toContain('fill="#bcd7c4"');
    await page.locator(".diagram canvas:not(.overview)").focus();
    for (const key of ["Escape", "Home", ...Array<string>(12).fill("+")]) await page.keyboard.press(key);
    await expect.poll(async () => svgOf(page)).toMatch(/>(MPI_Recv|MPI_Send|compute)</);
    await reports.picture(page, "regions");
    expect(problems).toEqual([]);
    await page.close();
  });
});
