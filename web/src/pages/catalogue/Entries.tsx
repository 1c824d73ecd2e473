import { AlgorithmTag } from "../../figures/marks";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { Anchor } from "./Anchor";
import type { Entry, Parameter } from "./model";

interface Props {
  tab: string;
  entries: Entry[];
  /** Names are algorithms, with their markers. */
  marked?: boolean;
  /** The list has a heading of its own. */
  nested?: boolean;
}

/** Algorithms, topologies, workloads or queues with their parameters. */
export function Entries({ tab, entries, marked = false, nested = false }: Props) {
  const Heading = nested ? "h3" : "h2";
  return (
    <ul className="entries" data-testid={tab}>
      {entries.map((entry) => (
        <li key={entry.name} id={`${tab}-${entry.name}`} className="entry">
          <div className="entry-name">
            <Heading>
              {marked ? <AlgorithmTag name={entry.name} /> : entry.name}
              <Anchor id={`${tab}-${entry.name}`} name={entry.name} />
            </Heading>
            {entry.category && <small>{entry.category}</small>}
          </div>
          <div className="entry-about">
            <p>{entry.text}</p>
            {entry.formula && <p className="formula">{entry.formula}</p>}
            {entry.source && <p className="quiet">{entry.source}</p>}
            <Parameters of={entry.name} parameters={entry.parameters} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Parameters({ of, parameters }: { of: string; parameters: Parameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <ScrollRegion label={`Parameters of ${of}`}>
      <table className="grid parameters">
        <thead>
          <tr>
            <th scope="col">parameter</th>
            <th scope="col">default</th>
            <th scope="col">allowed</th>
            <th scope="col">meaning</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, text, facts }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td className={facts.default === "required" ? "none" : undefined}>{facts.default ?? "–"}</td>
              <td className="wrapping allowed">
                {facts["one of"] ?? facts.range ?? facts.quantity ?? ""}
                {facts.unit && <i> {facts.unit}</i>}
              </td>
              <td className="wrapping">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
