import { afterEach, describe, expect, it, vi } from "vitest";
import { limitedFetch, TimeLimitError, UnavailableError } from "../../src/api/limitedFetch";

const request = (init?: RequestInit) => new Request("http://localhost/api/v1/health", init);

/** A fetch that never answers, as a service that accepts connections only. */
const silent = (_: Request, { signal }: RequestInit = {}) =>
  new Promise<Response>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a request", () => {
  it("of a silent service ends after its time limit, which is longer for writes", async () => {
    const limits: number[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      limits.push(ms);
      return AbortSignal.abort(new DOMException("", "TimeoutError"));
    });
    vi.stubGlobal("fetch", () => Promise.reject(new DOMException("", "TimeoutError")));
    await expect(limitedFetch(request())).rejects.toBeInstanceOf(TimeLimitError);
    await expect(limitedFetch(request({ method: "POST" }))).rejects.toThrow("within 120 seconds");
    expect(limits).toEqual([30_000, 120_000]);
  });

  it("that its caller aborts is not an absent service", async () => {
    vi.stubGlobal("fetch", silent);
    const caller = new AbortController();
    const answer = limitedFetch(request({ signal: caller.signal }));
    caller.abort();
    await expect(answer).rejects.not.toBeInstanceOf(UnavailableError);
  });

  it("that fails is an absent service", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    await expect(limitedFetch(request())).rejects.toBeInstanceOf(UnavailableError);
  });

  it("has the answer's status, headers and body", async () => {
    vi.stubGlobal("fetch", async () => new Response('{"a":1}', { status: 422, headers: { ETag: "x" } }));
    const answer = await limitedFetch(request());
    expect([answer.status, answer.headers.get("ETag"), await answer.json()]).toEqual([422, "x", { a: 1 }]);
    vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
    expect((await limitedFetch(request({ method: "DELETE" }))).status).toBe(204);
  });
});
