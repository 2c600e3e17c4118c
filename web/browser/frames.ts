// Measures how long frames of the diagram take, with a trace of 64 processes and 10^6 events. The first
// frame of a page is measured apart, in pages that are opened anew. A busy machine makes single frames
// long; how long the page's thread was at work tells which are so by themselves, but for the time that a
// hypervisor takes away, which counts as work.

import { readFileSync } from "node:fs";

import { Reports } from "./browser";
import { kFrames, kMotions, measure, measureFirst, summaryOf, type Frames } from "./measure";

const kClocks = ["--clock", "*:drift=~50ppm+offset=~20ms"];
const kPages = 7;

const text = (times: number[]): string => times.map((ms) => ms.toFixed(1).padStart(6)).join("");
const row = (name: string, { drawn, all, work }: Frames): string =>
  [name.padEnd(18), ...[drawn, all, work].map((times) => text(summaryOf(times)))].join(" |");

/** Time that a hypervisor took from all processors since the machine started, in ms. */
function stolen(): number {
  const ticks = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].split(/ +/).slice(1).map(Number);
  return 10 * (ticks.at(7) ?? 0);
}

const reports = new Reports();
await reports.start();
try {
  reports.run("simulate", "grid", "--processes", "64", "--events", "1000000", "--detail", "calls", ...kClocks, "-q", "-o", "grid");
  reports.run("sync", "grid/trace.txt", "-o", "out", "--report", "grid.html", "--quiet");
  reports.write("empty.html", "<h1>empty</h1>");
  console.log(`ms per frame, of ${kFrames}: least, median, 95 %, worst; drawn | laid out and rasterized, too | of that, at work`);
  const firsts = [];
  for (let i = 0; i < kPages; ++i) firsts.push(await measureFirst(reports, "grid.html"));
  console.log(row(`first, ${kPages} pages`, { drawn: firsts.map((f) => f.drawn), all: firsts.map((f) => f.all), work: firsts.map((f) => f.work) }),
    `| begun after ${text(summaryOf(firsts.map((f) => f.loaded)))}`);
  const { page } = await reports.open("grid.html");
  const before = { stolen: stolen(), time: performance.now() };
  const every: Frames = { drawn: [], all: [], work: [] };
  for (const part of [1, 3, 10, 30, 100, 300, 1000, 3000]) {
    for (const motion of kMotions) {
      const frames = await measure(page, part, motion);
      for (const key of ["drawn", "all", "work"] as const) every[key].push(...frames[key]);
      console.log(row(`1/${part} ${motion}`, frames));
    }
  }
  console.log(row("all", every));
  console.log(`Meanwhile ${stolen() - before.stolen} ms were taken by other machines, of ${(performance.now() - before.time).toFixed(0)} ms.`);
} finally {
  await reports.stop();
}
