// What a person sees first, for every kind of input: light, dark, and on a telephone. Pictures are compared with those in
// pictures/, at a size at which fonts hardly count; with UPDATE_PICTURES=1 they are written anew, to be looked at.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reports } from "./browser";

const kRoot = fileURLToPath(new URL("../..", import.meta.url));
const kPictures = fileURLToPath(new URL("pictures/", import.meta.url));
const kFont = join(kPictures, "font.json");
const kAxe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const kIsUpdate = process.env.UPDATE_PICTURES === "1";
const kWidth = 240; // of what is compared
const kMeanDifference = 4; // of 255
// In the dark only colors are others, on a telephone the page is the same, in other places.
const kLooks: { name: string; options: BrowserContextOptions; rules: string[] }[] = [
  { name: "light", options: { colorScheme: "light" }, rules: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] },
  { name: "dark", options: { colorScheme: "dark" }, rules: ["color-contrast", "link-in-text-block"] },
  { name: "narrow", options: { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true }, rules: [] },
];

const reports = new Reports();
beforeAll(async () => { await reports.start(); }, 60_000);
afterAll(async () => { await reports.stop(); });

function simulated(name: string, words: string[], inputs: string[]): string {
  reports.run("simulate", ...words, "-o", name, "--force", "--quiet", "--seed", "7");
  reports.run("sync", ...inputs.map((input) => join(name, input)), "-o", `${name}-out`, "--report", `${name}.html`, "--force", "--quiet");
  return `${name}.html`;
}

// Two hosts, a caller and whom it calls; host b is 20 ms ahead.
function spans(): string {
  const kAhead = 20_000_000;
  const host = (name: string, of: object[]): object => ({
    resource: { attributes: [{ key: "host.name", value: { stringValue: name } }, { key: "service.name", value: { stringValue: `${name}-service` } }] },
    scopeSpans: [{ spans: of }] });
  const id = (n: number): string => n.toString(16).padStart(16, "0");
  const at = (ns: number): string => String(1_700_000_000_000_000_000n + BigInt(ns));
  const lines = [];
  for (let i = 0; i < 60; ++i) {
    const t = i * 10_000_000;
    const trace = id(i + 1).padStart(32, "0");
    const took = 3_000_000 + (i % 7) * 200_000;
    lines.push(JSON.stringify({ resourceSpans: [
      host("a", [{ traceId: trace, spanId: id(2 * i + 1), kind: 3, name: "call", startTimeUnixNano: at(t), endTimeUnixNano: at(t + took) }]),
      host("b", [{ traceId: trace, spanId: id(2 * i + 2), parentSpanId: id(2 * i + 1), kind: 2, name: "serve",
        startTimeUnixNano: at(t + kAhead + 400_000 + (i % 5) * 50_000), endTimeUnixNano: at(t + kAhead + took - 500_000) }])] }));
  }
  reports.write("spans.jsonl", `${lines.join("\n")}\n`);
  reports.run("sync", "spans.jsonl", "-o", "spans-out", "--report", "spans.html", "--force", "--quiet", "--reference", "a");
  return "spans.html";
}

function text(): string {
  const lines = ["clock a 1000000000", "clock b 1000000000", "process 0 a", "process 1 b"];
  for (let i = 0; i < 40; ++i) {
    const at = 1000 * i;
    lines.push(`${at} 0 send 1 m${i}`, `${at + 90} 0 recv 1 n${i}`, `${at + 5060} 1 recv 0 m${i}`, `${at + 5070} 1 send 0 n${i}`);
  }
  return reports.text("pair", `${lines.join("\n")}\n`);
}

function ctf(): string {
  const hosts = ["hostA", "hostB"].map((host) => join(kRoot, "src/read/ctf/testdata/rates", host));
  reports.run("sync", ...hosts, "--rules", join(kRoot, "examples/rules/msg.rules"), "-o", "ctf-out", "--report", "ctf.html", "--force", "--quiet");
  return "ctf.html";
}

function profiles(): string {
  const ranks = [0, 4].map((rank) => join(kRoot, `examples/profiles/rank${rank}.json.gz`));
  reports.run("sync", ...ranks, "-o", "profiles-out", "--report", "profiles.html", "--force", "--quiet");
  return "profiles.html";
}

function logs(): string {
  const files = ["orders", "payments"].map((name) => join(kRoot, `examples/logs/samples/services/${name}.log`));
  reports.run("sync", ...files, "--rules", join(kRoot, "examples/logs/pino.rules"), "-o", "logs-out", "--report", "logs.html", "--force", "--quiet",
    "--match", '"calling payments"(reqId) -> "request received"(reqId)',
    "--match", '"request completed"(reqId) late <= 1ms -> "payments answered"(reqId)');
  return "logs.html";
}

function concurrency(): string {
  reports.run("simulate", "ring", "--processes", "5", "--steps", "40", "-o", "work", "--force", "--quiet", "--seed", "7");
  reports.run("concurrency", "work/trace.txt", "--waits", "receives", "--report", "concurrency.html", "--force", "--quiet");
  return "concurrency.html";
}

const kKinds: { name: string; make: () => string }[] = [
  { name: "captures", make: () => reports.sample() },
  { name: "text", make: text },
  { name: "archive", make: () => simulated("archive", ["ring", "--processes", "4", "--steps", "30", "--format", "otf2", "--detail", "calls", "--start", "1s",
    "--clock", "*:offset=~1ms+drift=~50ppm"], ["trace/traces.otf2"]) },
  { name: "many", make: () => simulated("many", ["grid", "--processes", "64", "--steps", "60", "--clock", "*:offset=~1ms+drift=~50ppm"], ["trace.txt"]) },
  { name: "ctf", make: ctf },
  { name: "spans", make: spans },
  { name: "profiles", make: profiles },
  { name: "logs", make: logs },
  { name: "concurrency", make: concurrency },
];

// A picture of what is seen without scrolling, scaled by the browser itself.
async function firstView(page: Page): Promise<string> {
  const shot = (await page.screenshot()).toString("base64");
  return page.evaluate(async ([data, width]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Number(width);
    canvas.height = Math.round((image.height * canvas.width) / image.width);
    const context = canvas.getContext("2d");
    if (context !== null) context.imageSmoothingQuality = "high";
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  }, [shot, kWidth] as const);
}

/** The mean difference of two pictures' colors, of 255; 255 where they are not of one size. */
async function difference(page: Page, a: string, b: string): Promise<number> {
  return page.evaluate(async (both) => {
    const pixels = await Promise.all(both.map(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0);
      return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
    }));
    if (pixels[0].length !== pixels[1].length) return 255;
    return pixels[0].reduce((sum, value, i) => sum + Math.abs(value - pixels[1][i]), 0) / pixels[0].length;
  }, [a, b]);
}

// Other fonts break lines elsewhere: pictures are then not to be compared.
async function widthOfText(page: Page): Promise<number> {
  return page.evaluate(() => {
    const span = document.createElement("span");
    span.textContent = "Of 4470 messages, 2298 were received before sent";
    span.style.cssText = "position:absolute;font-size:100px;white-space:nowrap";
    document.body.append(span);
    const { width } = span.getBoundingClientRect();
    span.remove();
    return Math.round(width);
  });
}

async function isSameFont(page: Page): Promise<boolean> {
  const width = await widthOfText(page);
  if (kIsUpdate) writeFileSync(kFont, `${JSON.stringify({ width })}\n`);
  return (JSON.parse(readFileSync(kFont, "utf8")) as { width: number }).width === width;
}

async function expectPicture(page: Page, name: string): Promise<void> {
  const file = join(kPictures, `${name}.png`);
  if (!(await isSameFont(page))) {
    console.warn(`${name}: not compared, since this machine has other fonts than those of the picture`);
    return;
  }
  const seen = await firstView(page);
  if (kIsUpdate || !existsSync(file)) {
    expect(kIsUpdate, `${file} is missing; UPDATE_PICTURES=1 writes it`).toBe(true);
    mkdirSync(kPictures, { recursive: true });
    writeFileSync(file, Buffer.from(seen.replace(/^[^,]*,/, ""), "base64"));
    return;
  }
  const before = `data:image/png;base64,${readFileSync(file).toString("base64")}`;
  expect(await difference(page, seen, before), `${name} looks different; UPDATE_PICTURES=1 writes it anew`).toBeLessThan(kMeanDifference);
}

interface Violation { id: string; nodes: { html: string; failureSummary?: string }[] }

/** What keeps people from using the page, by these rules of WCAG 2.1 or tags of rules. */
async function violations(page: Page, rules: string[]): Promise<string[]> {
  await page.evaluate(kAxe);
  // Only violations, without selectors of all that was looked at: those take as long as looking.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"], selectors: false });
  const found: Violation[] = await page.evaluate(`axe.run(document, ${options}).then((found) => found.violations)`);
  return found.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary ?? ""}`).slice(0, 3).join("; ")}`);
}

describe.each(kKinds)("the first view of $name", ({ name, make }) => {
  let file = "";
  beforeAll(() => { file = make(); });

  it.each(kLooks)("$name", async (look) => {
    const { page, problems } = await reports.open(file, look.options);
    await page.waitForTimeout(100);
    await expectPicture(page, `${name}-${look.name}`);
    if (look.rules.length > 0) expect(await violations(page, look.rules)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
