/** Another baseline for a view of the comparison: the choices, and how the address names them. */
import { type Comparison, ProblemError } from "../../api/client";
import type { Option } from "../../ui/Controls";
import { type Axis, isAlgorithmAxis } from "./axes";

const NONE = "none";

/** Whether differences are to another baseline than the declared one, which alone has verdicts. */
export function isOtherBaseline({ against, baseline, declared_baseline: declared }: Comparison): boolean {
  const axes = Object.keys({ ...baseline, ...declared });
  return !against && axes.some((axis) => baseline[axis] !== declared[axis]);
}

/** The axis whose labels can be the baseline: a declared one, that of algorithms first, else any of algorithms. */
export function baselineAxis(comparison: Comparison, axes: readonly Axis[]): Axis | undefined {
  const several = axes.filter((axis) => axis.labels.length > 1);
  const declared = several.filter((axis) => axis.name in comparison.declared_baseline);
  const candidates = Object.keys(comparison.declared_baseline).length > 0 ? declared : several.filter(isAlgorithmAxis);
  return candidates.find(isAlgorithmAxis) ?? candidates[0];
}

export function baselineOptions(comparison: Comparison, axis: Axis): Option[] {
  const declared = comparison.declared_baseline[axis.name];
  const options = axis.labels.map((label) => ({
    value: `=${label}`,
    label: label === declared ? `${label}, declared` : label,
  }));
  return declared === undefined ? [{ value: NONE, label: NONE }, ...options] : options;
}

export function baselineValue(comparison: Comparison, axis: Axis): string {
  const label = comparison.baseline[axis.name];
  return label === undefined ? NONE : `=${label}`;
}

/** What the address says of an option: the labels of all of the baseline's axes, or nothing for the declared one. */
export function toBaseline(option: string, comparison: Comparison, axis: Axis): string[] | undefined {
  const label = option.slice(1);
  const declared = comparison.declared_baseline;
  if (option === NONE || label === declared[axis.name]) return undefined;
  return Object.entries({ ...declared, [axis.name]: label }).map(([name, value]) => `${name}=${value}`);
}

/** Why the service does not know the baseline in the address; undefined for other errors. */
export function refusedBaseline(error: Error | null): string | undefined {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return problem?.errors?.find(({ path }) => path === "query.baseline")?.message;
}

const PLAIN = /^[\w.,:=+/@-]+$/;

/** `--baseline algorithm=cubic`, quoted where a shell would read it. */
export function baselineArguments(comparison: Comparison): string {
  if (!isOtherBaseline(comparison)) return "";
  return Object.entries(comparison.baseline)
    .map(([axis, label]) => `${axis}=${label}`)
    .map((text) => ` --baseline ${PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`}`)
    .join("");
}
