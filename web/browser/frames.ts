// Measures how long frames of the diagram take, with a trace of 64 processes and 10^6 events: drawn,
// and rasterized as well. The first frame of a page is measured apart, in pages that are opened anew.
// The least tells what a busy machine hides.

import { Reports } from "./browser";
import { kFrames, kMotions, measure, measureFirst, summaryOf } from "./measure";

const kClocks = ["--clock", "*:drift=~50ppm+offset=~20ms"];
const kPages = 7;

const text = (times: number[]): string => times.map((ms) => ms.toFixed(1).padStart(7)).join("");

const reports = new Reports();
await reports.start();
try {
  reports.run("simulate", "grid", "--processes", "64", "--events", "1000000", "--detail", "calls", ...kClocks, "-q", "-o", "grid");
  reports.run("sync", "grid/trace.txt", "-o", "out", "--report", "grid.html", "--quiet");
  console.log(`ms per frame, of ${kFrames}: drawn least, median, 95 %, worst; drawn and rasterized the same`);
  const firsts = [];
  for (let i = 0; i < kPages; ++i) firsts.push(await measureFirst(reports, "grid.html"));
  console.log(`first of ${kPages} pages`.padEnd(18), text(summaryOf(firsts.map((f) => f.drawn))), text(summaryOf(firsts.map((f) => f.all))),
    ` opened in ${text(summaryOf(firsts.map((f) => f.loaded)))}`);
  const { page } = await reports.open("grid.html");
  const worst = { drawn: 0, all: 0 };
  for (const part of [1, 3, 10, 30, 100, 300, 1000, 3000]) {
    for (const motion of kMotions) {
      const { drawn, all } = await measure(page, part, motion);
      worst.drawn = Math.max(worst.drawn, ...drawn);
      worst.all = Math.max(worst.all, ...all);
      console.log(`1/${part} ${motion}`.padEnd(18), text(summaryOf(drawn)), text(summaryOf(all)));
    }
  }
  console.log("worst of all".padEnd(18), text([worst.drawn]).padStart(28), text([worst.all]).padStart(28));
} finally {
  await reports.stop();
}
