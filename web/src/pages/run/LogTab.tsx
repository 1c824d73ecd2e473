import { useQuery } from "@tanstack/react-query";
import type { Run } from "../../api/client";
import { logQuery } from "../../api/queries";
import { formatDuration, formatTime } from "../../format";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { StateDot } from "../../ui/StateDot";
import { Nothing, Waiting } from "../../ui/states";

/** Every attempt at the run, newest first, with what the simulator wrote to stderr. */
export function LogTab({ run }: { run: Run }) {
  const { data, error } = useQuery(logQuery(run.id));
  if (!data) return <Waiting error={error} />;
  const attempts = [...data.attempts].sort((a, b) => b.number - a.number);
  if (attempts.length === 0)
    return <Nothing title="No attempt yet.">The log begins when a worker starts the run.</Nothing>;
  return (
    <section className="page-section">
      {data.pruned_at && (
        <p className="note">Retention removed the logs of attempts before {formatTime(data.pruned_at)}.</p>
      )}
      {attempts.map((attempt) => (
        <article key={attempt.number} className="attempt">
          <h2>
            Attempt {attempt.number}
            <small>
              <StateDot kind={attempt.outcome ?? "running"} />
            </small>
          </h2>
          <p className="facts">
            <span>started {formatTime(attempt.started_at)}</span>
            {attempt.ended_at && (
              <span>took {formatDuration((Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)) / 1000)}</span>
            )}
            <span>
              on <span className="mono">{attempt.worker}</span>
            </span>
            {attempt.image && <span className="mono">{attempt.image}</span>}
          </p>
          {attempt.message && attempt.message !== attempt.outcome && <p>{attempt.message}</p>}
          {attempt.stderr ? (
            <ScrollRegion className="stderr" label={`stderr of attempt ${attempt.number}`}>
              <pre>{attempt.stderr}</pre>
            </ScrollRegion>
          ) : (
            <p className="quiet">The simulator wrote nothing to stderr.</p>
          )}
        </article>
      ))}
    </section>
  );
}
