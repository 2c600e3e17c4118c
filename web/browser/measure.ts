// Draws frames of the diagram one after the other, each another view or share, and takes the time.

import type { Page } from "playwright-core";
import type { Reports } from "./browser";

export const kFrames = 60;

/** ms, in order: drawn, and until the pixels are there as well. */
export interface Frames { drawn: number[]; all: number[] }

/** What changes from frame to frame: the place, at one share or another, or the zoom. */
export const kMotions = ["recorded", "corrected", "sliding", "zooming"] as const;
export type Motion = (typeof kMotions)[number];

/** Least, median, 95th percentile, worst. */
export function summaryOf(times: number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return [0, 0.5, 0.95, 1].map((share) => sorted[Math.ceil(share * (sorted.length - 1))]);
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
      context.getImageData(0, 0, 1, 1); // waits for the pixels
      all.push(performance.now() - start);
    }
    return { drawn, all };
  })()`;
  return page.evaluate<Frames>(code);
}

/** The first frame of a page that has just been opened, drawn and rasterized, in ms; and how long the page took before. */
export async function measureFirst(reports: Reports, file: string): Promise<{ loaded: number; drawn: number; all: number }> {
  const { page } = await reports.open(file, {}, `(() => {
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (act) => request((now) => {
      const start = performance.now();
      act(now);
      const canvas = document.querySelector(".diagram canvas");
      if (window.firstFrame !== undefined || canvas === null || canvas.height === 150) return;
      const drawn = performance.now() - start;
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      window.firstFrame = { loaded: start, drawn, all: performance.now() - start };
    });
  })()`);
  await page.waitForFunction("window.firstFrame !== undefined");
  const first = await page.evaluate<{ loaded: number; drawn: number; all: number }>("window.firstFrame");
  await page.close();
  return first;
}
