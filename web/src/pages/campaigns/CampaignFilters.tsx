import { type CampaignsView, type Facets, PAPER } from "../../api/queries";

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

/** Submitter, topology, paper, label and order. */
export function CampaignFilters({ view, facets, onChange }: Props) {
  const [papers, labels] = splitLabels(facets?.labels ?? []);
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
        label="Paper"
        any="any paper"
        least={1}
        value={view.paper}
        choices={papers}
        onChange={(paper) => onChange({ paper })}
      />
      <Choice
        label="Label"
        any="any label"
        value={view.label}
        choices={labels}
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

type Values = Facets["labels"];

/** The papers that campaigns reproduce, and the other labels. */
export function splitLabels(labels: Values): [papers: Values, others: Values] {
  const papers = labels.filter(({ name }) => name.startsWith(PAPER));
  return [
    papers.map((paper) => ({ ...paper, name: paper.name.slice(PAPER.length) })),
    labels.filter((label) => !papers.includes(label)),
  ];
}

interface ChoiceProps {
  /** Fewer choices are not shown. */
  least?: number;
  label: string;
  any: string;
  value: string | undefined;
  choices: { name: string; count: number }[] | undefined;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, least = 2, value, choices, onChange }: ChoiceProps) {
  const known = choices ?? [];
  if (known.length < least && !value) return null;
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
