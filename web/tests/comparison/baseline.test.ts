import { describe, expect, it } from "vitest";
import { ProblemError } from "../../src/api/client";
import { axesOf } from "../../src/pages/comparison/axes";
import {
  baselineArguments,
  baselineAxis,
  baselineOptions,
  baselineValue,
  isOtherBaseline,
  refusedBaseline,
  toBaseline,
} from "../../src/pages/comparison/baseline";
import { incast } from "./fixtures";

const declared = incast();
const [algorithm, servers] = axesOf(declared.axes, declared.cells);
if (!algorithm || !servers) throw new Error("no axes");
const viewed = { ...declared, baseline: { algorithm: "cubic" } };
const without = { ...declared, baseline: {}, declared_baseline: {} };

describe("another baseline", () => {
  it("is chosen from the labels of the declared one's axis, or of algorithms", () => {
    expect(baselineAxis(declared, [servers, algorithm])?.name).toBe("algorithm");
    expect(baselineAxis(without, [servers, algorithm])?.name).toBe("algorithm");
    expect(baselineAxis(without, [servers])).toBeUndefined();
    const limit = { ...declared, declared_baseline: { "workload.servers": "8" } };
    expect(baselineAxis(limit, [algorithm, servers])?.name).toBe("workload.servers");
  });

  it("has the option none only if none is declared", () => {
    expect(baselineOptions(declared, algorithm).map(({ label }) => label)).toEqual(["newreno, declared", "cubic"]);
    expect(baselineOptions(without, algorithm).map(({ value }) => value)).toEqual(["none", "=newreno", "=cubic"]);
    expect(baselineValue(without, algorithm)).toBe("none");
    expect(baselineValue(viewed, algorithm)).toBe("=cubic");
  });

  it("is in the address unless it is the declared one, with the declared labels of other axes", () => {
    expect(toBaseline("=cubic", declared, algorithm)).toEqual(["algorithm=cubic"]);
    expect(toBaseline("=newreno", viewed, algorithm)).toBeUndefined();
    expect(toBaseline("none", without, algorithm)).toBeUndefined();
    const both = { ...declared, declared_baseline: { algorithm: "newreno", "workload.servers": "8" } };
    expect(toBaseline("=cubic", both, algorithm)).toEqual(["algorithm=cubic", "workload.servers=8"]);
  });

  it("is told from the declared one", () => {
    expect([declared, viewed, without].map(isOtherBaseline)).toEqual([false, true, false]);
    expect(isOtherBaseline({ ...without, baseline: { algorithm: "cubic" } })).toBe(true);
  });

  it("is an argument of the command line, quoted where a shell would read it", () => {
    expect(baselineArguments(declared)).toBe("");
    expect(baselineArguments(viewed)).toBe(" --baseline algorithm=cubic");
    const variant = { ...declared, baseline: { algorithm: "vegas Alpha=1" } };
    expect(baselineArguments(variant)).toBe(" --baseline 'algorithm=vegas Alpha=1'");
  });

  it("that the service does not know is reported", () => {
    const problem = (path: string) =>
      new ProblemError({
        type: "",
        title: "",
        status: 422,
        detail: "",
        code: "invalid_request",
        errors: [{ path, message: "'x' is not an axis", line: null }],
      } as never);
    expect(refusedBaseline(problem("query.baseline"))).toBe("'x' is not an axis");
    expect(refusedBaseline(problem("query.metric"))).toBeUndefined();
    expect(refusedBaseline(new Error("away"))).toBeUndefined();
  });
});
