// Measures how long frames of the diagram take, with a trace of 64 processes and 10^6 events: drawn,
// and rasterized as well. The least tells what a busy machine hides.

import { kFrames, measure } from "./measure";
import { Reports } from "./browser";

const kClocks = ["--clock", "*:drift=~50ppm+offset=~20ms"];

const reports = new Reports();
await reports.start();
try {
  reports.run("simulate", "grid", "--processes", "64", "--events", "1000000", "--detail", "calls", ...kClocks, "-q", "-o", "grid");
  reports.run("sync", "grid/trace.txt", "-o", "out", "--report", "grid.html", "--quiet");
  const { page } = await reports.open("grid.html");
  console.log(`ms per frame, of ${kFrames}: drawn least, median, worst; drawn and rasterized the same`);
  for (const part of [1, 3, 10, 30, 100, 300, 1000, 3000]) {
    for (const share of ["recorded", "corrected", "sliding"] as const) {
      const { drawn, all } = await measure(page, part, share);
      console.log(`1/${part} ${share}`.padEnd(20), ...[...drawn, ...all].map((ms) => ms.toFixed(1).padStart(7)));
    }
  }
} finally {
  await reports.stop();
}
