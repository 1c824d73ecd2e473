import { afterEach, describe, expect, it, vi } from "vitest";
import { limitedFetch, TimeLimitError, UnavailableError } from "../../src/api/limitedFetch";

const request = (init?: RequestInit) => new Request("http://localhost/api/v1/health", init);

/** A fetch that never answers, as a service that accepts connections only. */
const silent = (_: Request, { signal }: RequestInit = {}) =>
  new Promise<Response>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

/** An answer with a piece every 20 s; one that never ends after the first if `pieces` is negative. */
function slowly(pieces: number, signal: AbortSignal | null | undefined): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      signal?.addEventListener("abort", () => controller.error(signal.reason));
      for (let piece = 0; piece < Math.max(1, pieces); piece += 1) {
        await new Promise((done) => setTimeout(done, 20_000));
        controller.enqueue(new TextEncoder().encode("."));
      }
      if (pieces > 0) controller.close();
    },
  });
  return new Response(body);
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a request", () => {
  it("of a silent service ends after its time limit, which is longer for writes", async () => {
    vi.useFakeTimers();
    vi.stubGlobal("fetch", silent);
    const ends = { GET: 0, POST: 0 };
    const begin = Date.now();
    for (const method of ["GET", "POST"] as const)
      limitedFetch(request({ method })).catch((error) => {
        expect(error).toBeInstanceOf(TimeLimitError);
        ends[method] = Date.now() - begin;
      });
    await vi.advanceTimersByTimeAsync(200_000);
    expect(ends).toEqual({ GET: 30_000, POST: 120_000 });
  });

  it("whose answer stops half-way ends, and one that keeps arriving does not", async () => {
    vi.useFakeTimers();
    vi.stubGlobal("fetch", (_: Request, { signal }: RequestInit = {}) => Promise.resolve(slowly(3, signal)));
    const complete = limitedFetch(request()).then((answer) => answer.text());
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await complete).toBe("...");

    vi.stubGlobal("fetch", (_: Request, { signal }: RequestInit = {}) => Promise.resolve(slowly(-1, signal)));
    const stopped = expect(limitedFetch(request())).rejects.toBeInstanceOf(TimeLimitError);
    await vi.advanceTimersByTimeAsync(100_000);
    await stopped;
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
