import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const root = resolve(import.meta.dirname, "../..");

/** Start the embedded service and have it simulate the campaigns of the specs; stop it at the end. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.WINDTUNNEL_PAGES) return undefined; // one that runs already
  const service = spawn(resolve(root, ".venv/bin/python"), ["-m", "tests.browser.pages_service"], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((done) => service.once("exit", () => done()));
  const first = new Promise<string>((done) => createInterface({ input: service.stdout }).once("line", done));
  const line = await Promise.race([first, ended]);
  if (line === undefined) throw new Error("the service did not start");
  process.env.WINDTUNNEL_PAGES = line;
  return async () => {
    service.stdin.end();
    await ended;
  };
}
