import { formatValue } from "../../figures/numbers";
import { type MetricRow, metricGroups } from "./metricRows";
import { RunTag } from "./RunTag";
import type { NamedRun, RunView } from "./useRunView";

/** The run's metrics by subject, beside those of the run that it is compared with. */
export function MetricsSection({ view }: { view: RunView }) {
  const { run, over } = view;
  const groups = metricGroups(run, over?.run);
  if (groups.length === 0) return null;
  return (
    <section className="sheet" aria-labelledby="metrics">
      <h2 id="metrics">
        Metrics
        <small>{over ? "beside the run laid over, same seed; " : ""}one seed carries no interval and no verdict</small>
      </h2>
      <div className="metrics">
        {groups.map(({ group, rows }) => (
          <Group key={group} title={group} rows={rows} view={view} over={over} />
        ))}
      </div>
    </section>
  );
}

function Group({
  title,
  rows,
  view,
  over,
}: {
  title: string;
  rows: MetricRow[];
  view: RunView;
  over: NamedRun | undefined;
}) {
  return (
    <section>
      <table className="pairs">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">metric</span>
            </th>
            <th scope="col">
              <RunTag name={view.name} />
            </th>
            {over && (
              <th scope="col">
                <RunTag name={over.name} />
              </th>
            )}
            {over && (
              <th scope="col">
                <span className="sr">difference</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className={row.far ? "far" : undefined}>
              <th scope="row" title={row.definition || row.name}>
                {row.title}
                {row.unit && <small>{row.unit}</small>}
              </th>
              <td>{formatValue(row.value)}</td>
              {over && (
                <td className="q">
                  {row.other === undefined ? <span title="not reported">–</span> : formatValue(row.other)}
                </td>
              )}
              {over && <td className="d">{row.difference}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
