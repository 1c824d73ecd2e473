import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Run, unwrap } from "../../api/client";
import { sessionQuery, verificationsQuery } from "../../api/queries";
import { formatAge } from "../../format";
import { Command } from "../../ui/Copy";
import { StateDot } from "../../ui/StateDot";
import { ErrorNote } from "../../ui/states";

/** The commands that reproduce the run, and its verifications. */
export function RunAgain({ run }: { run: Run }) {
  const short = run.id.slice(0, 12);
  return (
    <section className="sheet halves2" aria-labelledby="again">
      <div>
        <h2 id="again" className="ft-h">
          Run it again
        </h2>
        <p className="quiet">On your machine, from the run’s specification:</p>
        <Command>{`windtunnel simulate --run ${short}`}</Command>
        <p className="quiet">On the service, to see whether every record is still the same:</p>
        <Command>{`windtunnel verify ${short}`}</Command>
        {run.state === "succeeded" && <Verifications run={run} />}
      </div>
      <Checks run={run} />
    </section>
  );
}

function Verifications({ run }: { run: Run }) {
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery(verificationsQuery(run.id));
  const list = data?.verifications ?? [];
  const active = list.some(({ state }) => state === "queued" || state === "running");
  const verify = useMutation({
    mutationFn: async () =>
      unwrap(await api.POST("/api/v1/runs/{run_id}/verify", { params: { path: { run_id: run.id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: verificationsQuery(run.id).queryKey }),
  });
  const may = session?.scope === "submit" || session?.scope === "admin";
  return (
    <>
      {may && (
        <button type="button" className="btn" disabled={active || verify.isPending} onClick={() => verify.mutate()}>
          {active ? "Verifying…" : "Verify now"}
        </button>
      )}
      {verify.error && <ErrorNote error={verify.error} />}
      <ul className="verifications" aria-label="Verifications" aria-live="polite">
        {list.map((one) => (
          <li key={one.id}>
            <span>
              <StateDot kind={one.state} />
            </span>
            <span className="quiet">
              {one.requested_by && `by ${one.requested_by}, `}
              {formatAge(one.ended_at ?? one.created_at)}
            </span>
            {one.message && <span className="quiet">{one.message}</span>}
          </li>
        ))}
      </ul>
      {data && list.length === 0 && <p className="quiet">Not verified yet.</p>}
    </>
  );
}

export function Checks({ run }: { run: Run }) {
  if (run.checks.length === 0) return <div />;
  return (
    <div>
      <h2 className="ft-h">
        Checks<small>invariants that the simulator tested at the end of the run</small>
      </h2>
      <ul className="checks">
        {run.checks.map((check) => (
          <li key={check.name} className={check.held ? undefined : "broken"}>
            <svg viewBox="-5 -5 10 10" width="11" height="11" role="img" aria-label={check.held ? "held" : "broken"}>
              <path
                d={
                  check.held
                    ? "M-4,0L-2.6,-1.4L-1,.2L2.6,-3.4L4,-2L-1,3Z"
                    : "M-3.4,-2L-2,-3.4L0,-1.4L2,-3.4L3.4,-2L1.4,0L3.4,2L2,3.4L0,1.4L-2,3.4L-3.4,2L-1.4,0Z"
                }
              />
            </svg>
            <b>{check.name.replaceAll("_", " ")}</b>
            <span>{check.detail}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
