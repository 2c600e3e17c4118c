// Reports made by the real program, opened in Debian's Chromium without any network.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const kRoot = fileURLToPath(new URL("../..", import.meta.url));
const kProgram = process.env.SYNCLINE_PROGRAM ?? join(kRoot, "build", "release", "syncline");
/** Where pictures of the pages are kept, to be looked at. */
const kPictures = process.env.SYNCLINE_PICTURES;

export interface Opened { page: Page; problems: string[] }

export class Reports {
  readonly folder = mkdtempSync(join(tmpdir(), "syncline-report-"));
  private browser: Browser | null = null;

  async start(): Promise<void> {
    this.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND"],
    });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs the program; 0 and 3 are success. Returns what it printed. */
  run(...words: string[]): string {
    try {
      return execFileSync(kProgram, words, { cwd: this.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      const failure = error as { status?: number; stdout?: string; stderr?: string };
      if (failure.status === 3) return failure.stdout ?? "";
      throw new Error(`syncline ${words.join(" ")}: ${failure.stderr ?? ""}`);
    }
  }

  /** The shipped captures, and their true clocks. */
  captures(): string[] {
    return ["a", "b", "c", "d"].map((name) => join(kRoot, "examples", "captures", `${name}.pcap`));
  }

  /** The shipped profiles of two ranks. */
  profiles(): string[] {
    return ["rank0", "rank4"].map((name) => join(kRoot, "examples", "profiles", `${name}.json.gz`));
  }

  truth(): string {
    return join(kRoot, "examples", "captures", "truth.json");
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** The report of the shipped captures. */
  sample(...options: string[]): string {
    this.run("sync", ...this.captures(), "-o", "sample", "--report", "sample.html", "--force", "--quiet", ...options);
    return "sample.html";
  }

  /** The report of a trace given as text. */
  text(name: string, trace: string, ...options: string[]): string {
    writeFileSync(join(this.folder, `${name}.txt`), trace);
    this.run("sync", `${name}.txt`, "-o", name, "--report", `${name}.html`, "--force", "--quiet", ...options);
    return `${name}.html`;
  }

  /** A page of the browser's own. */
  async visit(url: string): Promise<Page> {
    if (this.browser === null) throw new Error("no browser was started");
    const page = await this.browser.newPage();
    await page.goto(url);
    return page;
  }

  /** `problems` collects errors, console output and requests for anything but the file itself. */
  async open(file: string, options: BrowserContextOptions = {}): Promise<Opened> {
    if (this.browser === null) throw new Error("no browser was started");
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
    const problems: string[] = [];
    page.on("console", (message) => problems.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${join(this.folder, file)}`);
    await page.waitForSelector("h1");
    return { page, problems };
  }

  async picture(page: Page, name: string): Promise<void> {
    if (kPictures === undefined) return;
    mkdirSync(kPictures, { recursive: true });
    await page.screenshot({ path: join(kPictures, `${name}.png`), fullPage: true });
  }
}

/** Narrow and unbreakable spaces as plain ones. */
export function plain(text: string | null): string {
  return (text ?? "").replace(/[\u202f\u00a0]/g, " ");
}

/** The text of the first element that `selector` finds, once what was done before has been drawn. */
export async function textOf(page: Page, selector: string): Promise<string> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return plain(await page.locator(selector).first().innerText());
}
