import { Link } from "@tanstack/react-router";
import type { Run } from "../../api/client";
import { fixed } from "../../figures/numbers";
import { route } from "./useRunView";

/** What happened to a run without a result, and what to do. */
export function RunState({ run }: { run: Run }) {
  if (run.state === "failed") return <Failed run={run} />;
  if (run.state === "running") return <Running run={run} />;
  if (run.state === "cancelled")
    return (
      <p className="note run-note" role="status">
        <b>Cancelled.</b>{" "}
        {run.message && run.message !== "cancelled" ? run.message : "Its campaign was cancelled before it ended."} To
        compute it, resume <Campaigns run={run} />, or run <code>windtunnel simulate --run {run.id.slice(0, 12)}</code>.
      </p>
    );
  return (
    <p className="note run-note" role="status">
      <b>Queued.</b> {run.note ?? "It starts when a worker is free."} This page follows it.
    </p>
  );
}

function Running({ run }: { run: Run }) {
  const share = run.duration_ns > 0 ? run.simulated_ns / run.duration_ns : 0;
  return (
    <div className="note running run-note" role="status">
      <b>Running</b>, attempt {run.attempt}: {fixed(run.simulated_ns / 1e9, 1)} of {fixed(run.duration_ns / 1e9, 1)} s
      simulated.
      <div className="meter" role="img" aria-label={`${Math.round(100 * share)} % simulated`}>
        <i className="running" style={{ flexGrow: share }} />
        <i style={{ flexGrow: 1 - share }} />
      </div>
    </div>
  );
}

function Failed({ run }: { run: Run }) {
  const broken = run.checks.filter((check) => !check.held);
  return (
    <div className="note failed run-note" role="alert">
      <b>Failed{run.failure ? `: ${run.failure.replaceAll("_", " ")}` : ""}.</b> {run.message}
      {broken.length > 0 && (
        <ul>
          {broken.map((check) => (
            <li key={check.name}>
              {check.name}: {check.detail}
            </li>
          ))}
        </ul>
      )}
      <p>
        The{" "}
        <Link from={route.id} search={(old) => ({ ...old, tab: "log" as const })}>
          log
        </Link>{" "}
        has the simulator’s last words; <code>windtunnel simulate --run {run.id.slice(0, 12)}</code> reproduces it here.
        Once the cause is mended, resume <Campaigns run={run} />.
      </p>
    </div>
  );
}

function Campaigns({ run }: { run: Run }) {
  const id = run.campaigns[0];
  if (!id) return <>its campaign</>;
  return (
    <Link to="/campaigns/$campaignId" params={{ campaignId: id }}>
      its campaign
    </Link>
  );
}
