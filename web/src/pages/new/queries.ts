import { queryOptions } from "@tanstack/react-query";
import { api, type Campaign, type Plan, unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import type { Schema } from "./documentation";

export type Template = components["schemas"]["TemplateOut"];

const startQuery = queryOptions({
  queryKey: ["templates"],
  queryFn: async () => unwrap(await api.GET("/api/v1/templates")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Campaign files to start from. */
export const templatesQuery = queryOptions({ ...startQuery, select: ({ templates }) => templates });

/** How many bytes of a campaign file the service takes. */
export const maxBytesQuery = queryOptions({ ...startQuery, select: ({ max_bytes }) => max_bytes });

/** The JSON Schema of campaign files for a simulator. */
export const schemaQuery = (simulator: string) =>
  queryOptions({
    queryKey: ["schema", simulator],
    queryFn: async () => unwrap(await api.GET("/api/v1/schema", { params: { query: { simulator } } })) as Schema,
    staleTime: 300_000,
    retry: false,
  });

export const recentQuery = queryOptions({
  queryKey: ["campaigns", "recent"],
  queryFn: async (): Promise<Campaign[]> =>
    unwrap(await api.GET("/api/v1/campaigns", { params: { query: { limit: 5 } } })).campaigns,
});

const YAML = { headers: { "Content-Type": "application/yaml" }, bodySerializer: (text: unknown) => String(text) };

/** The plan of a text; the request of an earlier text is aborted. */
export const planQuery = (text: string) =>
  queryOptions({
    queryKey: ["plan", text],
    queryFn: async ({ signal }) => {
      const query = { dry_run: true };
      const answer = await api.POST("/api/v1/campaigns", { params: { query }, body: text as never, signal, ...YAML });
      return unwrap(answer) as Plan;
    },
    enabled: text.trim() !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
    retry: false,
    refetchOnWindowFocus: false,
  });

/** Submit a text. The service makes one campaign of requests that have the same key. */
export async function submit(text: string, key: string): Promise<string> {
  const params = { header: { "idempotency-key": key } };
  const answer = await api.POST("/api/v1/campaigns", { params, body: text as never, ...YAML });
  const { id } = unwrap(answer) as { id: string };
  return id;
}

/** A random key; without a secure context there is no crypto.randomUUID. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
