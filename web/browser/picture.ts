// Takes the pictures of the documentation from the report of the shipped captures.

import { fileURLToPath } from "node:url";
import { Reports } from "./browser";

const kDocs = fileURLToPath(new URL("../../docs/", import.meta.url));
const kSeconds = "27.8"; // requests and answers between all hosts

const reports = new Reports();
await reports.start();
try {
  const { page } = await reports.open(reports.sample(), { viewport: { width: 1000, height: 900 }, colorScheme: "light" });
  await page.locator("[aria-label^='Go to this time']").fill(kSeconds);
  await page.getByRole("button", { name: "go", exact: true }).click();
  for (const times of ["recorded", "corrected"]) {
    await page.getByRole("button", { name: times, exact: true }).click();
    await page.waitForTimeout(300);
    await page.locator(".diagram").screenshot({ path: `${kDocs}report-${times}.png` });
  }
} finally {
  await reports.stop();
}
