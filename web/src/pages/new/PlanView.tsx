import { type Plan as CampaignPlan, ProblemError } from "../../api/client";
import { AlgorithmTag } from "../../figures/marks";
import { formatClock, formatDuration } from "../../format";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ErrorNote, Skeleton } from "../../ui/states";
import { axesOf, axisTitles, isAlgorithmAxis } from "../comparison/axes";

const SHOWN_CELLS = 20;

interface Props {
  plan: CampaignPlan | undefined;
  error: Error | null;
  /** The text has changed since. */
  stale: boolean;
  empty: boolean;
}

/** What the file would do: its size and cost, what it can show, and its cells; or what is wrong with it. */
export function PlanView({ plan, error, stale, empty }: Props) {
  return (
    <section
      className={stale ? "plan stale" : "plan"}
      aria-label="Plan"
      aria-live="polite"
      aria-busy={stale}
      data-testid="plan"
    >
      {empty ? (
        <p className="quiet">The file is empty.</p>
      ) : error ? (
        <Problems error={error} />
      ) : plan ? (
        <Plan plan={plan} />
      ) : (
        <Skeleton lines={5} />
      )}
    </section>
  );
}

function Problems({ error }: { error: Error }) {
  const problems = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  if (problems.length === 0) return <ErrorNote error={error} />;
  return (
    <div role="alert" data-testid="problems">
      <p className="plan-size">
        <b>{count(problems.length, "problem")}</b>
      </p>
      <ul className="plan-lints">
        {problems.map(({ path, message, line }) => (
          <li key={`${path} ${message}`} className="note failed">
            {line != null && <b>line {line} </b>}
            {path && (
              <>
                <span className="mono">{path}</span>
                <br />
              </>
            )}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

const count = (value: number, one: string): string =>
  `${value.toLocaleString("en-US")} ${value === 1 ? one : `${one}s`}`;

function Plan({ plan }: { plan: CampaignPlan }) {
  const left = plan.total_runs - plan.reused_runs;
  return (
    <>
      <p className="plan-size" data-testid="size">
        <b>{count(plan.cells.length, "cell")}</b> × <b>{count(plan.replications, "seed")}</b> ={" "}
        <b>{count(plan.total_runs, "run")}</b>
        {plan.reused_runs > 0 && (
          <>
            , <b>{plan.reused_runs === plan.total_runs ? "all" : plan.reused_runs.toLocaleString("en-US")}</b> reused
          </>
        )}
      </p>
      <Cost plan={plan} left={left} />
      {plan.lints.length > 0 && (
        <ul className="plan-lints" data-testid="lints">
          {plan.lints.map((lint) => (
            <li key={`${lint.path} ${lint.message}`} className="note">
              {lint.line !== null && <b>line {lint.line}: </b>}
              <span className="mono">{lint.path}</span>: {lint.message}
            </li>
          ))}
        </ul>
      )}
      <dl className="kv plan-facts">
        <dt>verdicts</dt>
        <dd>{familyOf(plan)}</dd>
        {plan.power && (
          <>
            <dt>can show</dt>
            <dd>{plan.power.replace(/^family: [^;]*; /, "")}</dd>
          </>
        )}
        <dt>gates</dt>
        <dd>
          {plan.gates === 0
            ? "none"
            : count(plan.gates, "gate") + (plan.references.length > 0 ? `, against ${plan.references.join(", ")}` : "")}
        </dd>
        <dt>{plan.simulators.length === 1 ? "simulator" : "simulators"}</dt>
        <dd>{plan.simulators.map(({ name, digest }) => `${name} ${digest.slice(0, 8)}`).join(", ")}</dd>
      </dl>
      <Cells plan={plan} />
    </>
  );
}

function Cost({ plan, left }: { plan: CampaignPlan; left: number }) {
  if (left === 0)
    return (
      <p className="plan-cost" data-testid="cost">
        Nothing has to be simulated.
      </p>
    );
  const wall = plan.predicted_wall_seconds;
  return (
    <p className="plan-cost" data-testid="cost">
      {plan.predicted_cpu_seconds < 1 ? "Less than 1 s" : `About ${formatDuration(plan.predicted_cpu_seconds)}`} of CPU
      {wall === null && "; no worker is live, so its runs wait"}
      {wall != null && (
        <>
          , done in about <b>{formatDuration(wall)}</b> ({formatClock(new Date(Date.now() + wall * 1000))}), after what
          is queued
        </>
      )}
      .
      {!plan.calibrated && (
        <span className="quiet"> A rough estimate: no run of this simulator has been measured.</span>
      )}
    </p>
  );
}

function familyOf({ family }: CampaignPlan): string {
  if (family.size === 0) return "none: there is no baseline";
  return `${count(family.comparisons, "comparison")} × ${count(family.metrics.length, "metric")}: ${family.metrics.join(", ")}`;
}

function Cells({ plan }: { plan: CampaignPlan }) {
  const axes = Object.keys(plan.cells[0]?.coordinates ?? {});
  const titles = axisTitles(axes);
  const algorithmAxes = new Set(
    axesOf(axes, plan.cells)
      .filter(isAlgorithmAxis)
      .map((axis) => axis.name),
  );
  const hidden = plan.cells.length - SHOWN_CELLS;
  return (
    <ScrollRegion label="Cells">
      <table className="grid" data-testid="cells">
        <thead>
          <tr>
            {axes.length === 0 && <th scope="col">cell</th>}
            {axes.map((axis, index) => (
              <th key={axis} scope="col">
                {titles[index]}
              </th>
            ))}
            <th scope="col" className="r">
              CPU a run
            </th>
          </tr>
        </thead>
        <tbody>
          {plan.cells.slice(0, SHOWN_CELLS).map((cell) => (
            <tr key={cell.index}>
              {axes.length === 0 && <td>the scenario</td>}
              {axes.map((axis) => (
                <td key={axis}>
                  {algorithmAxes.has(axis) ? (
                    <AlgorithmTag name={cell.coordinates[axis] ?? ""} />
                  ) : (
                    cell.coordinates[axis]
                  )}
                </td>
              ))}
              <td className="r">
                {cell.cpu_seconds < 10 ? `${cell.cpu_seconds.toFixed(1)} s` : formatDuration(cell.cpu_seconds)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <p className="quiet plan-more">and {count(hidden, "more cell")}</p>}
    </ScrollRegion>
  );
}
