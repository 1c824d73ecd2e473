import type { CampaignsView, Facets } from "../../api/queries";

const SORTS = [
  ["-created", "newest first"],
  ["created", "oldest first"],
  ["name", "by name"],
  ["-cost", "most expensive first"],
  ["cost", "cheapest first"],
] as const;

interface Props {
  view: CampaignsView;
  facets: Facets | undefined;
  onChange: (part: CampaignsView) => void;
}

/** Submitter, topology, label and order. */
export function CampaignFilters({ view, facets, onChange }: Props) {
  return (
    <div className="row">
      <Choice
        label="Submitter"
        any="any submitter"
        value={view.submitter}
        choices={facets?.submitters}
        onChange={(submitter) => onChange({ submitter })}
      />
      <Choice
        label="Topology"
        any="any topology"
        value={view.topology}
        choices={facets?.topologies}
        onChange={(topology) => onChange({ topology })}
      />
      <Choice
        label="Label"
        any="any label"
        value={view.label}
        choices={facets?.labels}
        onChange={(label) => onChange({ label })}
      />
      <select
        className="select"
        aria-label="Order"
        value={view.sort ?? "-created"}
        onChange={(event) => onChange({ sort: event.currentTarget.value as CampaignsView["sort"] })}
      >
        {SORTS.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      {view.q && (
        <button type="button" className="btn small" onClick={() => onChange({ q: undefined })}>
          “{view.q}” ×
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string | undefined;
  choices: { name: string; count: number }[] | undefined;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, value, choices, onChange }: ChoiceProps) {
  const known = choices ?? [];
  if (known.length < 2 && !value) return null;
  return (
    <select
      className="select"
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      <option value="">{any}</option>
      {value && !known.some(({ name }) => name === value) && <option value={value}>{value}</option>}
      {known.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  );
}
