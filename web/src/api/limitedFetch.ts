/** Requests with a time limit, so that a service that accepts connections but never answers is found out. */

/** The service could not be reached, or what answered was not the service. */
export class UnavailableError extends Error {}

/** The service has not answered in time; asking again at once would only wait as long again. */
export class TimeLimitError extends UnavailableError {}

const READ_MS = 30_000;
/** A submission plans up to many thousands of runs before it is answered. */
const WRITE_MS = 120_000;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** The limit is on silence: an answer that keeps arriving over a slow line is not cut off. */
export async function limitedFetch(request: Request, limitMs = limitOf(request)): Promise<Response> {
  const limit = new AbortController();
  let timer = setTimeout(() => limit.abort(), limitMs);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(), limitMs);
  };
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, limit.signal]) });
    heard();
    // Read here, within the limit: headers may arrive and the body not.
    const body = WITHOUT_BODY.has(response.status) ? null : await read(response, heard);
    return new Response(body, response);
  } catch (error) {
    if (request.signal.aborted) throw error;
    if (limit.signal.aborted) throw new TimeLimitError(`It has not answered within ${limitMs / 1000} seconds.`);
    throw new UnavailableError("It could not be reached.");
  } finally {
    clearTimeout(timer);
  }
}

const limitOf = (request: Request): number => (request.method === "GET" ? READ_MS : WRITE_MS);

async function read(response: Response, heard: () => void): Promise<Blob> {
  const parts: BlobPart[] = [];
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value);
    heard();
  }
  return new Blob(parts);
}
