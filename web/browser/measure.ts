// Draws frames of the diagram one after the other, each another view or share, and takes the time.

import type { Page } from "playwright-core";
import type { Reports } from "./browser";

export const kFrames = 60;

/** ms, in order: until a frame is drawn; until the page is laid out and the pixels are there as well; and of that, how long the
 * page's thread was at work, not waiting for other programs. */
export interface Frames { drawn: number[]; all: number[]; work: number[] }

/** What changes from frame to frame: the place, at one share or another, or the zoom. */
export const kMotions = ["recorded", "corrected", "sliding", "zooming"] as const;
export type Motion = (typeof kMotions)[number];

/** Least, median, 95th percentile, worst. */
export function summaryOf(times: number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return [0, 0.5, 0.95, 1].map((share) => sorted[Math.ceil(share * (sorted.length - 1))]);
}

interface TraceEvent { name: string; ts: number; tdur?: number }

// The work that Chromium traces for each event of this name while `act` is run, in ms.
async function traced<T>(page: Page, name: string, act: () => Promise<T>): Promise<{ result: T; work: number[] }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => { events.push(...value as unknown as TraceEvent[]); });
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline"] } });
  const result = await act();
  const complete = new Promise<void>((resolve) => { session.once("Tracing.tracingComplete", () => { resolve(); }); });
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const own = events.filter((event) => event.name === name && event.tdur !== undefined).sort((a, b) => a.ts - b.ts);
  return { result, work: own.map((event) => (event.tdur ?? 0) / 1000) };
}

/** Views of a part of the trace that move on from frame to frame. */
export async function measure(page: Page, part: number, motion: Motion): Promise<Frames> {
  const code = `(async () => {
    const diagram = window.syncline.diagram;
    const context = diagram.canvas.getContext("2d");
    const drawn = [];
    const all = [];
    for (let i = 0; i < ${kFrames}; ++i) {
      diagram.setShare("${motion}" === "recorded" ? 0 : "${motion}" === "sliding" ? (i * 7 % 39 + 1) / 40 : 1);
      const whole = diagram.whole();
      // From three times as much to a third.
      const stretch = "${motion}" === "zooming" ? 3 * 9 ** (-i / ${kFrames}) : 1;
      const length = Math.min(whole.to - whole.from, stretch * (whole.to - whole.from) / ${part});
      const from = whole.from + (whole.to - whole.from - length) * ("${motion}" === "zooming" ? 0.37 : i / ${kFrames});
      diagram.show({ from, to: from + length });
      await new Promise((resolve) => setTimeout(resolve, 0));
      const start = performance.now();
      drawn.push(diagram.drawNow());
      document.body.offsetHeight; // lays the page out
      context.getImageData(0, 0, 1, 1); // waits for the pixels
      all.push(performance.now() - start);
    }
    return { drawn, all };
  })()`;
  const { result, work } = await traced(page, "TimerFire", () => page.evaluate<Omit<Frames, "work">>(code));
  // Chromium loses a few events.
  if (work.length < 0.9 * kFrames || work.length > kFrames) throw new Error(`${work.length} frames were traced, not ${kFrames}`);
  return { ...result, work };
}

interface First { loaded: number; drawn: number; all: number; number: number }

/** The first frame of a page that has just been opened, and when it was begun after the page, in ms. */
export async function measureFirst(reports: Reports, file: string): Promise<{ loaded: number; drawn: number; all: number; work: number }> {
  const { page } = await reports.open("empty.html");
  await page.addInitScript(`(() => {
    let number = 0;
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (act) => request((now) => {
      ++number;
      const start = performance.now();
      act(now);
      const canvas = document.querySelector(".diagram canvas:not(.overview)");
      if (window.firstFrame !== undefined || canvas === null) return;
      const drawn = performance.now() - start;
      document.body.offsetHeight;
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      window.firstFrame = { loaded: start, drawn, all: performance.now() - start, number };
    });
  })()`);
  const { result, work } = await traced(page, "FireAnimationFrame", async () => {
    await page.goto(`file://${reports.folder}/${file}`);
    while (!(await page.evaluate<boolean>("window.firstFrame !== undefined"))) await page.waitForTimeout(20);
    return page.evaluate<First>("window.firstFrame");
  });
  await page.close();
  // Which one it was is only known if Chromium lost none.
  if (work.length < result.number) throw new Error(`${work.length} frames were traced, of ${result.number}`);
  return { loaded: result.loaded, drawn: result.drawn, all: result.all, work: work[result.number - 1] };
}
