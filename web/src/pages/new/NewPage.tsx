import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { campaignQuery, fileQuery, sessionQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { ErrorNote, Nothing, RejectedNote, Skeleton } from "../../ui/states";
import { Composer } from "./Composer";
import { EMPTY } from "./draft";
import { templatesQuery } from "./queries";
import { StartPage } from "./StartPage";
import "./new.css";

const route = getRouteApi("/new");

/** A new campaign: from a template, an earlier campaign or nothing, then its file with its plan beside it. */
export function NewPage() {
  const { template, from, rejected } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  useTitle("New campaign");
  const note = <RejectedNote rejected={rejected} onClear={() => void navigate({ search: {}, replace: true })} />;
  if (session?.scope === "read") return <ReadOnly name={session.name} />;
  return (
    <>
      {note}
      {from ? (
        <FromCampaign id={from} />
      ) : template === "empty" ? (
        <FromNothing />
      ) : template ? (
        <FromTemplate name={template} />
      ) : (
        <StartPage />
      )}
    </>
  );
}

function ReadOnly({ name }: { name: string | null }) {
  return (
    <Nothing title="This token can only read.">
      <p>
        {name ? `${name} has` : "It has"} scope read; submitting campaigns needs scope submit. An administrator creates
        such a token:
      </p>
      <pre className="first-command">windtunnel token create NAME --scope submit</pre>
    </Nothing>
  );
}

const FromNothing = () => <Composer start="empty" origin="an empty file" text={EMPTY} />;

function FromTemplate({ name }: { name: string }) {
  const { data: templates, error } = useQuery(templatesQuery);
  const template = templates?.find((one) => one.name === name);
  if (template) return <Composer start={`template:${name}`} origin={`the template ${name}`} text={template.file} />;
  if (error) return <Unavailable error={error} />;
  if (!templates) return <Skeleton />;
  return (
    <Nothing title={`There is no template ${name}.`}>
      <Link to="/new" search={{}} className="btn">
        See all templates
      </Link>
    </Nothing>
  );
}

function FromCampaign({ id }: { id: string }) {
  const { data: campaign } = useQuery(campaignQuery(id));
  const { data: file, error } = useQuery(fileQuery(id));
  if (error) return <Unavailable error={error} />;
  if (file === undefined) return <Skeleton />;
  const shortId = id.slice(0, 10);
  return (
    <Composer start={`from:${id}`} origin={campaign ? `${campaign.name} (${shortId})` : shortId} text={file.text} />
  );
}

function Unavailable({ error }: { error: Error }) {
  return (
    <div className="page-section">
      <ErrorNote error={error} />
      <p>
        <Link to="/new" search={{}} className="btn">
          Start from something else
        </Link>
      </p>
    </div>
  );
}
