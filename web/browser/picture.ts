// Takes the picture of the documentation: the first view of the report of the shipped captures.

import { fileURLToPath } from "node:url";
import { Reports } from "./browser";

const kDocs = fileURLToPath(new URL("../../docs/", import.meta.url));

const reports = new Reports();
await reports.start();
try {
  const { page } = await reports.open(reports.sample(), { viewport: { width: 1000, height: 1160 }, colorScheme: "light" });
  await page.screenshot({ path: `${kDocs}report.png` });
} finally {
  await reports.stop();
}
