import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

export type Campaign = components["schemas"]["CampaignOut"];
export type RunCounts = components["schemas"]["RunCounts"];
export type CampaignDetail = components["schemas"]["CampaignDetail"];
export type Comparison = components["schemas"]["ComparisonOut"];
export type ComparedCell = components["schemas"]["ComparedCellOut"];
export type CellMetric = components["schemas"]["CellMetricOut"];
export type MetricInfo = components["schemas"]["MetricInfo"];
export type UsedSimulator = components["schemas"]["UsedSimulatorOut"];
export type Run = components["schemas"]["RunOut"];
export type RunRow = components["schemas"]["RunRow"];
export type Series = components["schemas"]["SeriesOut"];
export type Problem = components["schemas"]["ProblemDocument"];

export const api = createClient<paths>({ baseUrl: "/" });

/** The service's problem document, as an error that a query can throw. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of a response; throws ProblemError, or Error if the response is not from the service. */
export function unwrap<T>(answer: Answer<T>): T {
  if (answer.data !== undefined) return answer.data;
  const error = answer.error as Partial<Problem> | undefined;
  if (error?.code !== undefined) throw new ProblemError(error as Problem);
  throw new Error(`the service returned HTTP status ${answer.response.status}`);
}
