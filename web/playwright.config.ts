import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

/** The system's Chromium: no browser is downloaded. */
function chromium(): string {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  throw new Error("Chromium is missing: apt-get install chromium");
}

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/setup.ts",
  workers: 1,
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: "line",
  outputDir: join(process.env.TMPDIR ?? "/tmp", "windtunnel-pages"),
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    launchOptions: {
      executablePath: chromium(),
      args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
    },
  },
});
