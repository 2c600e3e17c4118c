// Draws frames of the diagram one after the other, each another view or share, and takes the time.

import type { Page } from "playwright-core";

export const kFrames = 40;

/** ms: the least, the median and the worst, drawn; and until the pixels are there. */
export interface Frames { drawn: number[]; all: number[] }

/** Views of a part of the trace that move on from frame to frame. */
export async function measure(page: Page, part: number, share: "recorded" | "corrected" | "sliding"): Promise<Frames> {
  const code = `(async () => {
    const diagram = window.syncline.diagram;
    const context = document.querySelector("canvas").getContext("2d");
    const summary = (times) => { times.sort((a, b) => a - b); return [times[0], times[times.length >> 1], times[times.length - 1]]; };
    const drawn = [];
    const all = [];
    for (let i = 0; i < ${kFrames}; ++i) {
      diagram.setShare("${share}" === "recorded" ? 0 : "${share}" === "corrected" ? 1 : (i * 7 % 39 + 1) / 40);
      const whole = diagram.whole();
      const length = (whole.to - whole.from) / ${part};
      const from = whole.from + (whole.to - whole.from - length) * i / ${kFrames};
      diagram.show({ from, to: from + length });
      await new Promise((resolve) => setTimeout(resolve, 0));
      const start = performance.now();
      drawn.push(diagram.drawNow());
      context.getImageData(0, 0, 1, 1); // waits for the pixels
      all.push(performance.now() - start);
    }
    return { drawn: summary(drawn), all: summary(all) };
  })()`;
  return page.evaluate<Frames>(code);
}
