import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Writes FILE.gz beside each text file of the build, which the API sends to browsers that accept it. */
function compressed(): Plugin {
  let folder = "dist";
  return {
    name: "compressed",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(css|html|js|json|svg)$/.test(name)) continue;
        const path = join(folder, name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  build: { chunkSizeWarningLimit: 1500 },
  // e2e/ has Playwright's tests, over a running service.
  test: { include: ["tests/**/*.test.{ts,tsx}"] },
  server: { proxy: { "/api": process.env.WINDTUNNEL_SERVER ?? "http://127.0.0.1:8000" } },
});
