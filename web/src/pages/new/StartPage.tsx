import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatAge } from "../../format";
import { Skeleton } from "../../ui/states";
import { drafts } from "./draft";
import { recentQuery, type Template, templatesQuery } from "./queries";

const KINDS = [
  ["example", "Examples", "small, done in minutes"],
  ["paper", "Papers", "experiments that somebody published"],
] as const;

/** What a new campaign can start from. */
export function StartPage() {
  const { data: templates, isPending, error } = useQuery(templatesQuery);
  const { data: recent } = useQuery(recentQuery);
  const kept = new Set(drafts());
  return (
    <>
      <div className="head">
        <div>
          <h1>New campaign</h1>
          <p className="facts">A campaign is one file. Start from one that works, and change it.</p>
        </div>
        <div className="acts">
          <Link to="/new" search={{ template: "empty" }} className="btn" data-testid="empty">
            Empty file{kept.has("empty") && ", with your draft"}
          </Link>
        </div>
      </div>
      <div className="starts">
        <div>
          {isPending && <Skeleton />}
          {error && <p className="note">Templates could not be loaded: {error.message}</p>}
          {KINDS.map(([kind, title, about]) => (
            <Templates
              key={kind}
              title={title}
              about={about}
              kept={kept}
              templates={templates?.filter((one) => one.kind === kind) ?? []}
            />
          ))}
        </div>
        {recent && recent.length > 0 && (
          <section aria-labelledby="earlier">
            <h2 id="earlier">An earlier campaign</h2>
            <ul className="start-list">
              {recent.map((campaign) => (
                <li key={campaign.id}>
                  <Link to="/new" search={{ from: campaign.id }} className="start-name" data-row>
                    {campaign.name}
                  </Link>
                  <small>
                    {kept.has(`from:${campaign.id}`) && <Draft />}
                    {campaign.algorithms.slice(0, 6).join(", ")} · {formatAge(campaign.created_at)}
                  </small>
                </li>
              ))}
            </ul>
            <p className="quiet">Every campaign has “Submit again…”.</p>
          </section>
        )}
      </div>
    </>
  );
}

interface TemplatesProps {
  title: string;
  about: string;
  templates: Template[];
  kept: Set<string>;
}

function Templates({ title, about, templates, kept }: TemplatesProps) {
  if (templates.length === 0) return null;
  return (
    <section className="start-section">
      <h2>
        {title} <small>{about}</small>
      </h2>
      <ul className="start-list" data-testid="templates">
        {templates.map((template) => (
          <li key={template.name}>
            <Link to="/new" search={{ template: template.name }} className="start-name" data-row>
              {template.title}
            </Link>
            {template.name !== template.title && <span className="c-id">{template.name}</span>}
            <p>
              {kept.has(`template:${template.name}`) && <Draft />}
              {template.description}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const Draft = () => <b className="draft-mark">your draft · </b>;
