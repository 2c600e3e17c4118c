import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Summary } from "../src/data/summary";
import { formatBounds, formatCount } from "../src/format";
import { plain, Reports, textOf } from "./browser";

const reports = new Reports();
let sample = "";

beforeAll(async () => {
  await reports.start();
  sample = reports.sample();
}, 60_000);
afterAll(async () => { await reports.stop(); });

function summaryOf(folder: string): Summary {
  return JSON.parse(readFileSync(join(reports.folder, folder, "syncline.json"), "utf8")) as Summary;
}

async function expectStatistics(page: Page, pattern: RegExp): Promise<void> {
  await expect.poll(() => textOf(page, ".statistics")).toMatch(pattern);
}

async function svgOf(page: Page): Promise<string> {
  const waiting = page.waitForEvent("download");
  await page.locator('[title="Save space-time as SVG"]').click();
  const download = await waiting;
  return readFileSync(await download.path(), "utf8");
}

const kRed = 'stroke="#d1242f"';

describe("the report of the shipped captures", () => {
  it("loads without errors, console output or requests, in both color schemes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, problems } = await reports.open(sample, { colorScheme });
      await page.waitForTimeout(200);
      expect(problems).toEqual([]);
      await reports.picture(page, `sample-${colorScheme}`);
      await page.close();
    }
  });

  it("shows the numbers of the summary", async () => {
    const summary = summaryOf("sample");
    const { page } = await reports.open(sample);
    expect(await textOf(page, ".verdict")).toBe("Of 4 470 messages, 2 298 were received before sent; after correction none is.");
    expect(await textOf(page, ".tile strong")).toBe(`${plain(formatCount(summary.messages.inverted_before))} → ${summary.messages.inverted_after ?? -1}`);
    for (const clock of summary.clocks) {
      const row = plain(await page.locator("#table-clocks tbody tr", { has: page.locator(`th:text-is("${clock.name}")`) }).innerText());
      for (const which of ["best", "mean", "worst"] as const) {
        expect(row).toContain(plain(formatBounds(clock.below_ns?.[which] ?? null, clock.above_ns?.[which] ?? null)));
      }
      expect(row).toContain(plain(formatCount(clock.events ?? -1)));
    }
    const pairs = plain(await page.locator("#table-pairs tbody").innerText());
    for (const pair of summary.pairs) {
      if (pair.messages_ab > 0) expect(pairs).toMatch(new RegExp(`${pair.a} → ${pair.b}\\s+${pair.messages_ab}\\s`));
    }
    expect(await textOf(page, "#findings tbody")).toContain("messages in one direction only, or nothing explains them");
    const digest = await page.locator("#table-inputs tbody code").first().innerText();
    expect(digest).toBe("1277c35195ba5af4404608197e9a3f20a0d69f294ddd4841d9f28b3c6f958b0f");
    await page.close();
  });

  it("sorts its tables by number, what is open last", async () => {
    const { page } = await reports.open(sample);
    const names = async (): Promise<string[]> => page.locator("#table-clocks tbody th").allInnerTexts();
    await page.locator("#table-clocks thead button", { hasText: "best bounds" }).click();
    expect(await names()).toEqual(["b", "a", "c", "d"]);
    await page.locator("#table-clocks thead button", { hasText: "best bounds" }).click();
    expect(await names()).toEqual(["c", "a", "b", "d"]);
    await page.close();
  });

  it("shows an inverted message as red only where times are as recorded", async () => {
    const { page } = await reports.open(sample);
    await page.locator(".diagram canvas:not(.overview)").focus();
    expect(await svgOf(page)).toContain(kRed);
    await page.keyboard.press("n");
    expect(await textOf(page, ".chosen")).toContain("was received before sent");
    await page.getByRole("button", { name: "corrected", exact: true }).click();
    const corrected = await svgOf(page);
    expect(corrected).not.toContain(kRed);
    await page.getByRole("button", { name: "recorded", exact: true }).click();
    await expectStatistics(page, / inverted/);
    const recorded = await svgOf(page);
    expect(recorded).toContain(kRed);
    expect(recorded).not.toBe(corrected);
    await page.getByRole("button", { name: "corrected", exact: true }).click();
    expect(await svgOf(page)).toBe(corrected);
    await page.close();
  });

  it("says that it shows density, and arrows when there are few enough", async () => {
    const { page } = await reports.open(sample);
    for (const name of ["all", "+", "+", "all"]) await page.locator("#spacetime").getByRole("button", { name, exact: true }).click();
    await expectStatistics(page, / 4 470 messages/);
    await page.getByRole("button", { name: "recorded", exact: true }).click();
    await expect.poll(() => textOf(page, ".notice")).toContain("4 470 messages are too many for arrows");
    await page.getByRole("button", { name: "corrected", exact: true }).click();
    await page.locator("[aria-label^='Go to this time']").fill("30");
    await page.getByRole("button", { name: "go", exact: true }).click();
    await page.locator(".notice").waitFor({ state: "hidden" });
    await expect.poll(() => textOf(page, ".statistics")).toMatch(/^3\.1\d+ s in view: \d+ events, \d+ messages, delays/);
    await page.close();
  });

  it("zooms to single nanoseconds and back, by keyboard alone", async () => {
    const { page, problems } = await reports.open(sample);
    for (let i = 0; i < 60 && !(await page.evaluate("document.activeElement instanceof HTMLCanvasElement")); ++i) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("n");
    await expectStatistics(page, /^\d\d\.\d+ ms/);
    for (let i = 0; i < 90; ++i) await page.keyboard.press("+");
    await expectStatistics(page, /^20 ns in view/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Home");
    await expectStatistics(page, /^6\d\.\d+ s in view/);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("tells both times, the bound, the delays and the reason under the pointer", async () => {
    const { page } = await reports.open(sample);
    await page.locator(".diagram canvas:not(.overview)").focus();
    await page.keyboard.press("n");
    await page.locator(".diagram canvas:not(.overview)").scrollIntoViewIfNeeded();
    const box = await page.locator(".diagram canvas:not(.overview)").boundingBox();
    if (box === null) throw new Error("there is no diagram");
    // The message that was jumped to is in the middle of both pictures; somewhere on the way it is crossed.
    const tooltip = page.locator(".tooltip");
    for (let y = 40; y < box.height && !(await tooltip.isVisible()); y += 6) await page.mouse.move(box.x + box.width / 2 + 30, box.y + y);
    const text = plain(await tooltip.innerText());
    for (const label of ["recorded", "corrected", "moved by", "true within", "because of"]) expect(text).toContain(label);
    expect(text).toMatch(/delay .* → .*/);
    await page.close();
  });

  it("filters by search and by the matrix", async () => {
    const { page } = await reports.open(sample);
    await page.locator("#spacetime").getByRole("button", { name: "all", exact: true }).click();
    await page.getByRole("searchbox").fill("d");
    await expectStatistics(page, / 184 events/);
    expect(await textOf(page, ".pair")).toBe("1 process, 2 640 events found (Enter: the next)");
    await page.keyboard.press("Enter");
    await expect.poll(async () => textOf(page, ".chosen")).toMatch(/UDP/);
    await page.getByRole("searchbox").fill("nowhere");
    expect(await textOf(page, ".pair")).toBe("none found");
    await page.getByRole("searchbox").fill("");
    await page.locator("#spacetime").getByRole("button", { name: "all", exact: true }).click();
    await page.locator(".cell[aria-label^='a → b']").click();
    await expectStatistics(page, / 661 messages/);
    expect(await textOf(page, ".pair")).toContain("only a → b");
    await page.getByRole("button", { name: "show all" }).click();
    await expectStatistics(page, / 4 470 messages/);
    await page.close();
  });

  // Chromium lets a page save ten files: those of three figures.
  it("saves every figure as SVG and PNG, and its data as CSV", async () => {
    let figures = 1;
    for (let i = 0; i < figures;) {
      const { page, problems } = await reports.open(sample);
      figures = await page.locator("figure:visible").count();
      for (const end = Math.min(i + 3, figures); i < end; ++i) {
        const figure = page.locator("figure:visible").nth(i);
        const saved = async (kind: string): Promise<Buffer> => {
          const waiting = page.waitForEvent("download");
          await figure.getByRole("button", { name: kind }).click();
          return readFileSync(await (await waiting).path());
        };
        const svg = (await saved("SVG")).toString("utf8");
        expect(svg).toMatch(/^<svg [^]*<\/svg>\s*$/);
        const csv = (await saved("CSV")).toString("utf8");
        expect(csv).toMatch(/^[^\r]+,[^\r]+\r\n/);
        expect(svg + csv).not.toContain("var(--");
        expect((await saved("PNG")).subarray(1, 4).toString()).toBe("PNG");
      }
      expect(problems).toEqual([]);
      await page.close();
    }
    expect(figures).toBeGreaterThanOrEqual(6);
  });

  it("holds a window alone, and says so", async () => {
    const file = reports.sample("--report-window", "10..12");
    const { page, problems } = await reports.open(file);
    await expect.poll(() => textOf(page, ".notice")).toContain("This report holds the events from 10.000 000 000 s to 12.000 000 000 s");
    await expectStatistics(page, /^\d\d\.\d+ ms in view: \d\d events/);
    await page.locator("#spacetime").getByRole("button", { name: "all", exact: true }).click();
    await expectStatistics(page, /^6\d\.\d+ s in view/);
    await expect.poll(() => textOf(page, ".notice")).toContain("Elsewhere, grey shows how many events there are");
    await reports.picture(page, "window");
    expect(problems).toEqual([]);
    await page.close();
    reports.sample();
  });

  it("fits a narrow screen", async () => {
    const { page } = await reports.open(sample, { viewport: { width: 420, height: 800 } });
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
    await reports.picture(page, "narrow");
    await page.close();
  });
});

describe("a trace with names that look like markup", () => {
  const kName = "<script>window.broken=1</script>";
  const kTrace = `clock <b>a</b> 1000000000\nclock b 1000000000\nprocess ${kName} <b>a</b> <img src=x onerror=window.broken=1>\n` +
    `process 1 b # second\n0 ${kName} enter <i>work</i>\n5 ${kName} leave <i>work</i>\n` +
    `10 ${kName} send 1 m1\n1010 1 recv ${kName} m1\n1020 1 send ${kName} m2\n40 ${kName} recv 1 m2\n`;

  it("shows them as text", async () => {
    const { page, problems } = await reports.open(reports.text("names", kTrace, "--reference", "b"));
    expect(await page.evaluate("window.broken")).toBe(undefined);
    expect(await textOf(page, "#table-clocks")).toContain("<b>a</b>");
    expect(await textOf(page, "#clocks h3")).toContain("<b>a</b>");
    await page.locator(".diagram canvas:not(.overview)").focus();
    await page.keyboard.press("n");
    expect(await textOf(page, ".chosen")).toContain("was received before sent");
    expect(await svgOf(page)).toContain("&#60;img");
    expect(problems).toEqual([]);
    await page.close();
  });
});

describe("the report of a summary alone", () => {
  it("has the verdict and the tables", async () => {
    reports.run("report", "sample/syncline.json", "-o", "summary.html", "--force");
    const { page, problems } = await reports.open("summary.html");
    expect(await textOf(page, ".verdict")).toContain("after correction none is");
    expect(await page.locator(".diagram canvas:not(.overview)").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });
});
