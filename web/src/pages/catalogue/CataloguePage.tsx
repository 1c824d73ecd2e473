import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { catalogueQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { Nothing, RejectedNote, Waiting } from "../../ui/states";
import type { Schema } from "../new/documentation";
import { Entries } from "./Entries";
import { Metrics } from "./Metrics";
import { entriesOf, entryMatches, matches, queuesOf } from "./model";
import { Simulators } from "./Simulators";
import "./catalogue.css";

const route = getRouteApi("/catalogue");
const TABS = ["algorithms", "topologies", "workloads", "metrics", "simulators"] as const;
const EXPLAINED: Record<(typeof TABS)[number], string> = {
  algorithms: "Congestion controls of scenario.algorithm, workload groups and the sweep.",
  topologies: "Networks of scenario.topology, and their queues.",
  workloads: "Traffic of scenario.workload.",
  metrics: "What a run reports. Verdicts compare with a baseline by these.",
  simulators: "Builds that workers offer. Rebuilding a simulator invalidates all cached runs.",
};

/** Everything that a campaign file can name. */
export function CataloguePage() {
  const { rejected, ...view } = route.useSearch();
  const { q = "", simulator: asked, tab = "algorithms" } = view;
  const navigate = route.useNavigate();
  const { data, error } = useQuery(catalogueQuery);
  useTitle("Catalogue", tab);
  useAnchor(data !== undefined, tab);
  if (!data) return <Waiting error={error} />;
  const simulator =
    data.simulators.find(({ name }) => name === asked) ??
    data.simulators.find(({ name }) => name === "ns3") ??
    data.simulators[0];
  if (!simulator) {
    return (
      <Nothing title="No simulator yet.">
        <p>A worker that offers one has not been seen. Its first heartbeat brings the catalogue.</p>
      </Nothing>
    );
  }
  const scenario = simulator.scenario as Schema;
  const shown = {
    algorithms: entriesOf(scenario, "algorithm").filter((entry) => entryMatches(q, entry)),
    topologies: entriesOf(scenario, "topology").filter((entry) => entryMatches(q, entry)),
    workloads: entriesOf(scenario, "workload").filter((entry) => entryMatches(q, entry)),
    metrics: simulator.metrics.filter((metric) =>
      matches(q, metric.name, metric.title, metric.group, metric.definition, metric.unit),
    ),
    simulators: data.simulators.filter(({ name, title, engine, digest }) => matches(q, name, title, engine, digest)),
  };
  const queues = queuesOf(scenario).filter((entry) => entryMatches(q, entry));
  const counts = { ...shown, topologies: [...shown.topologies, ...queues] };
  const change = (part: { q?: string; simulator?: string }) => {
    const { q: text, ...rest } = { ...view, ...part };
    void navigate({ search: text ? { ...rest, q: text } : rest, replace: true });
  };
  return (
    <>
      <div className="head">
        <div>
          <h1>Catalogue</h1>
          <p className="facts">{EXPLAINED[tab]}</p>
        </div>
        <div className="acts">
          {data.simulators.length > 1 && tab !== "simulators" && (
            <select
              className="select"
              aria-label="Simulator"
              value={simulator.name}
              onChange={(event) => change({ simulator: event.currentTarget.value })}
            >
              {data.simulators.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          <input
            className="input"
            type="search"
            aria-label="Search the catalogue"
            placeholder="Search the catalogue"
            value={q}
            onChange={(event) => change({ q: event.currentTarget.value })}
          />
        </div>
      </div>
      <RejectedNote rejected={rejected} onClear={() => void navigate({ search: {}, replace: true })} />
      <nav className="tabs" aria-label="Catalogue">
        {TABS.map((name) => (
          <Link
            key={name}
            to="/catalogue"
            search={{ ...view, tab: name }}
            aria-current={tab === name ? "page" : undefined}
            activeOptions={{ includeSearch: true, exact: true }}
          >
            {name}
            <small>{counts[name].length}</small>
          </Link>
        ))}
      </nav>
      {counts[tab].length === 0 ? (
        <Nothing title={`No ${tab} match “${q}”.`}>
          {TABS.filter((name) => counts[name].length > 0)
            .map((name) => `${counts[name].length} ${name}`)
            .join(", ") || "Nothing else does either."}{" "}
          <button type="button" className="link" onClick={() => change({ q: "" })}>
            Clear the search
          </button>
        </Nothing>
      ) : (
        <>
          {tab === "algorithms" && <Entries tab={tab} entries={shown.algorithms} marked />}
          {tab === "workloads" && <Entries tab={tab} entries={shown.workloads} />}
          {tab === "topologies" && (
            <>
              <Entries tab={tab} entries={shown.topologies} />
              {queues.length > 0 && (
                <section className="sheet">
                  <h2>
                    Queues <small>of a topology’s field queue</small>
                  </h2>
                  <Entries tab="queues" entries={queues} nested />
                </section>
              )}
            </>
          )}
          {tab === "metrics" && <Metrics metrics={shown.metrics} />}
          {tab === "simulators" && <Simulators simulators={shown.simulators} />}
        </>
      )}
    </>
  );
}

/** Mark the entry that the address names, and scroll to it, once it is there. */
function useAnchor(loaded: boolean, tab: string): void {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab has other entries
  useEffect(() => {
    const entry = loaded && hash ? document.getElementById(hash) : null;
    entry?.setAttribute("data-target", "");
    entry?.scrollIntoView();
    return () => entry?.removeAttribute("data-target");
  }, [loaded, tab, hash]);
}
