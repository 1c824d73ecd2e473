/** The service of the specs, and a page that is signed in to it. */
import { test as base, type ConsoleMessage, expect, type Locator, type Page } from "@playwright/test";

export { expect };

export interface Service {
  url: string;
  token: string;
  /** Process ids. */
  api: number;
  workers: number[];
}

export interface Pages extends Service {
  read: string;
  campaigns: Record<"incast" | "coexistence" | "completion-times" | "two-flows" | "failing", string>;
  /** A run of two-flows, and one that failed. */
  run: string;
  failed: string;
  empty: Service;
}

export const pages = JSON.parse(process.env.WINDTUNNEL_PAGES ?? "{}") as Pages;

export async function get<T = never>(path: string, service: Service = pages): Promise<T> {
  const answer = await fetch(`${service.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${service.token}` } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

export async function send<T = never>(method: string, path: string, body?: unknown, token = pages.token): Promise<T> {
  const answer = await fetch(`${pages.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  const text = await answer.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

export async function signIn(page: Page, service: Service = pages, token = service.token): Promise<void> {
  const answer = await fetch(`${service.url}/api/v1/links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ next: "/" }),
  });
  const { path } = (await answer.json()) as { path: string };
  await page.goto(service.url + path);
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
}

/** A signed-in page that must not log errors. */
export const test = base.extend<{ signedIn: Page }>({
  signedIn: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("console", (message: ConsoleMessage) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await signIn(page);
    await use(page);
    expect(errors).toEqual([]);
  },
});

/** Open an address and wait until nothing of it is loading. */
export async function open(page: Page, address: string, service: Service = pages): Promise<void> {
  await page.goto(service.url + address);
  await loaded(page);
}

export async function loaded(page: Page): Promise<void> {
  await expect(page.locator("#main > *").first()).toBeVisible();
  await expect(page.getByRole("status", { name: "loading" })).toHaveCount(0);
}

/** The width of the document beyond the window. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** The main figure's drawing on a comparison page. */
export const figure = (page: Page): Locator => page.locator("figure svg.fig").first();
