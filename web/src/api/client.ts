import createClient from "openapi-fetch";
import { limitedFetch, UnavailableError } from "./limitedFetch";
import type { components, paths } from "./schema";

export { TimeLimitError, UnavailableError } from "./limitedFetch";

type Schemas = components["schemas"];
export type Campaign = Schemas["CampaignOut"];
export type RunCounts = Schemas["RunCounts"];
export type CampaignDetail = Schemas["CampaignDetail"];
export type Distributions = Schemas["DistributionsOut"];
export type Comparison = Schemas["ComparisonOut"];
export type ComparedCell = Schemas["ComparedCellOut"];
export type CellMetric = Schemas["CellMetricOut"];
export type MetricInfo = Schemas["MetricInfo"];
export type UsedSimulator = Schemas["UsedSimulatorOut"];
export type Run = Schemas["RunOut"];
export type RunRow = Schemas["RunRow"];
export type Series = Schemas["SeriesOut"];
export type SeriesInfo = Schemas["SeriesInfo"];
export type Plan = Schemas["PlanOut"];
export type Problem = Schemas["ProblemDocument"];
export type FieldProblem = Schemas["FieldProblem"];

/** The service's problem document, as an error that a query can throw. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export const api = createClient<paths>({ baseUrl: "/", fetch: (request) => limitedFetch(request) });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of a response; throws ProblemError, or UnavailableError if the response is not from the service. */
export function unwrap<T>(answer: Answer<T>): T {
  if (answer.data !== undefined) return answer.data;
  const error = answer.error as Partial<Problem> | undefined;
  if (error?.code !== undefined) throw new ProblemError(error as Problem);
  throw new UnavailableError(`HTTP status ${answer.response.status}.`);
}
