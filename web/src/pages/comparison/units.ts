import type { MetricInfo } from "../../api/client";

/** A metric's unit as shown: none for shares without a unit. */
export const unitOf = (metric: Pick<MetricInfo, "unit">): string => (metric.unit === "1" ? "" : metric.unit);

export const titleWithUnit = (metric: MetricInfo): string =>
  unitOf(metric) ? `${metric.title}, ${unitOf(metric)}` : metric.title;
