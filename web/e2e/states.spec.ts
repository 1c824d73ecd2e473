/** What pages show when something is missing, refused, revoked or away. */
import { expect, get, loaded, open, pages, send, signIn, test } from "./pages";

const TINY = { simulator: "tiny", scenario: { duration: "10ms" } };
const newCampaign = (name: string, wall = 0) =>
  send<{ id: string }>("POST", "/campaigns", { name, ...TINY, scenario: { duration: "10ms", wall } });

test("a broken address is reported, and the rest of it used", async ({ signedIn: page }) => {
  await open(page, `/campaigns/${pages.campaigns.incast}/comparison?chart=pie&metric=nonsense&nothing=1&scale=linear`);
  const note = page.getByTestId("rejected");
  for (const part of ['chart="pie"', "nothing is not a parameter", "no run reports the metric nonsense"])
    await expect(note).toContainText(part);
  await expect(page.getByLabel("Scale")).toHaveValue("linear");
  await note.getByRole("button", { name: "Remove it" }).click();
  await expect(note).toHaveCount(0);
});

test("an address that names what objects inherit is a page like any other", async ({ signedIn: page }) => {
  await open(page, "/campaigns?rejected=1&toString=2");
  await expect(page.getByTestId("rejected")).toContainText("rejected is not a parameter of this page");
  await expect(page.getByTestId("campaigns").getByText("failing")).toBeVisible();
});

test("a part of the pages that can't be loaded is loaded after all", async ({ page }) => {
  await signIn(page);
  let aborted = 0;
  await page.route(/assets\/Editor-.*\.js/, async (route) => {
    aborted += 1;
    if (aborted === 1) await route.abort();
    else await route.continue();
  });
  await open(page, "/new?template=incast");
  await expect(page.getByRole("textbox", { name: "Campaign file" })).toBeVisible({ timeout: 30_000 });
  expect(aborted).toBeGreaterThan(0);
});

test("an unknown run and an unknown campaign say so", async ({ page }) => {
  await signIn(page);
  await open(page, `/runs/${"f".repeat(64)}`);
  await expect(page.getByRole("alert")).toContainText("does not exist");
  await open(page, "/campaigns/ffffffffff/comparison");
  await expect(page.getByRole("alert")).toContainText("campaign ffffffffff does not exist");
});

test("a campaign that is deleted meanwhile", async ({ page }) => {
  await signIn(page);
  const { id } = await newCampaign("doomed", 30);
  await open(page, `/campaigns/${id}`);
  await expect(page.getByTestId("progress")).toContainText("0/1 runs");
  await send("DELETE", `/campaigns/${id}`);
  await expect(page.getByText(`campaign ${id} does not exist`)).toBeVisible({ timeout: 20_000 });
});

test("a token that is revoked meanwhile leads to the sign-in", async ({ page }) => {
  const { id, token } = await send<{ id: string; token: string }>("POST", "/tokens", {
    name: "leaving",
    scope: "submit",
  });
  await signIn(page, pages, token);
  await send("DELETE", `/tokens/${id}`);
  await page.getByRole("link", { name: "Catalogue" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

test("the service is away and comes back", async ({ page }) => {
  await signIn(page);
  await open(page, "/campaigns");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /^with failures/ }).click();
  await expect(page.getByTestId("away")).toBeVisible({ timeout: 30_000 });
  await page.context().setOffline(false);
  await expect(page.getByTestId("away")).toHaveCount(0, { timeout: 70_000 });
  await expect(page.getByTestId("campaigns").getByText("failing")).toBeVisible({ timeout: 30_000 });
});

test("a service that falls silent on a campaign's page", async ({ page }) => {
  await signIn(page);
  const { id } = await newCampaign("silent", 60);
  await open(page, `/campaigns/${id}`);
  await expect(page.getByTestId("progress")).toContainText("1 running", { timeout: 30_000 });
  const lost = page.getByText("The connection to the service is lost.");
  process.kill(pages.api, "SIGSTOP");
  try {
    await expect(lost).toBeVisible({ timeout: 30_000 });
  } finally {
    process.kill(pages.api, "SIGCONT");
  }
  await expect(lost).toHaveCount(0, { timeout: 40_000 });
  await send("DELETE", `/campaigns/${id}`);
});

test("who can only read sees no button that changes something", async ({ page }) => {
  await signIn(page, pages, pages.read);
  await loaded(page);
  for (const name of ["New", "Tokens", "System", "New campaign"])
    await expect(page.getByRole("link", { name, exact: true })).toHaveCount(0);
  await open(page, `/campaigns/${pages.campaigns.incast}`);
  await expect(page.getByRole("button", { name: "Compare with…" })).toBeVisible();
  for (const name of ["Submit again…", "Cancel", "Extend", "Delete"])
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  await open(page, `/runs/${pages.run}`);
  await expect(page.getByRole("button", { name: "Verify now" })).toHaveCount(0);
  await open(page, "/new");
  await expect(page.getByText("This token can only read.")).toBeVisible();
});

test("50 MB in the editor are refused without freezing", async ({ signedIn: page }) => {
  await open(page, "/new?template=empty");
  const editor = page.getByRole("textbox", { name: "Campaign file" });
  await editor.click();
  await editor.evaluate((element) => {
    const data = new DataTransfer();
    data.setData("text/plain", "name: x\n".repeat((50 * 2 ** 20) / 8));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(page.getByTestId("refused")).toContainText("52.4 MB were not inserted");
  await page.keyboard.type("# still here");
  await expect(editor).toContainText("# still here");
  await expect(page.getByTestId("size")).toBeVisible();
});

test("a failed run says why", async ({ signedIn: page }) => {
  const failure = await get<{ failure: string }>(`/runs/${pages.failed}`);
  await open(page, `/runs/${pages.failed}`);
  await expect(page.getByRole("alert")).toContainText(failure.failure.replaceAll("_", " "));
  await expect(page.getByLabel("stderr of attempt 1")).toContainText("the model exploded");
});
