import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { campaignQuery, fileQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { formatTime } from "../../format";
import { Command } from "../../ui/Copy";
import { ErrorNote, Skeleton } from "../../ui/states";

const route = getRouteApi("/campaigns/$campaignId/file");

/** The campaign file as it was submitted, and how to run it again. */
export function FilePage() {
  const { campaignId } = route.useParams();
  const { data: campaign } = useQuery(campaignQuery(campaignId));
  const { data: file, error } = useQuery(fileQuery(campaignId));
  useTitle(campaign?.name, "what was submitted");
  if (!campaign) return null;
  return (
    <section className="page-section">
      <div className="row spread">
        <h2>
          Campaign file{" "}
          <small>
            submitted {formatTime(campaign.created_at)}
            {campaign.submitted_by && ` by ${campaign.submitted_by}`}
          </small>
        </h2>
        <a className="btn" href={`/api/v1/campaigns/${campaign.id}/file`} download={file?.name ?? ""}>
          Download
        </a>
      </div>
      {error ? (
        <ErrorNote error={error} />
      ) : file === undefined ? (
        <Skeleton />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre tabIndex={0} data-testid="file">
          {file.text}
        </pre>
      )}
      <dl className="kv">
        {campaign.simulators.map((build) => (
          <div key={build.digest} style={{ display: "contents" }}>
            <dt>simulator</dt>
            <dd>
              {build.name} <span className="mono">{build.digest}</span>
              {build.built_at && `, built ${formatTime(build.built_at)}`}
            </dd>
          </div>
        ))}
      </dl>
      {file && (
        <>
          <p className="quiet">Save it and run it again; runs of the same simulator are not computed twice:</p>
          <Command>{`windtunnel run ${file.name}`}</Command>
        </>
      )}
    </section>
  );
}
