import { Accordion, Alert, Anchor, Breadcrumbs, Code, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { campaignQuery, comparisonQuery, runsQuery, useLiveCampaign } from "../api/queries";
import { ComparisonSection } from "../components/ComparisonSection";
import { ProgressHeader } from "../components/ProgressHeader";
import { RunsTable } from "../components/RunsTable";
import { Waiting } from "../components/Waiting";
import { formatBuild, formatUnlisted } from "../format";

export function CampaignPage() {
  const { campaignId } = useParams({ from: "/campaigns/$campaignId" });
  const view = useSearch({ from: "/campaigns/$campaignId" });
  const navigate = useNavigate({ from: "/campaigns/$campaignId" });
  const { data: campaign, error } = useQuery(campaignQuery(campaignId));
  const { data: focus } = useQuery(comparisonQuery(campaignId, []));
  const asked = view.columns || view.metric ? [...(view.columns ?? focus?.default_metrics ?? []), ...(view.metric ? [view.metric] : [])] : [];
  const known = new Set(focus?.available.map((metric) => metric.name));
  const { data: comparison } = useQuery(comparisonQuery(campaignId, [...new Set(asked)].filter((name) => known.has(name))));
  const { data: runs } = useQuery(runsQuery(campaignId));
  const connected = useLiveCampaign(campaignId, campaign?.ended);
  if (!campaign) return <Waiting error={error} />;
  const anyResult = comparison?.cells.some((cell) => Object.keys(cell.runs).length > 0);
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor component={Link} to="/campaigns">
          campaigns
        </Anchor>
        <Text>{campaign.name}</Text>
      </Breadcrumbs>
      <div>
        <Title order={2}>{campaign.name}</Title>
        <Text c="dimmed" size="sm">
          {campaign.description}
        </Text>
        <Text c="dimmed" size="sm" data-testid="simulators">
          on {campaign.simulators.map(formatBuild).join("; ")}
        </Text>
        {campaign.submitted_by && (
          <Text c="dimmed" size="sm">
            submitted by {campaign.submitted_by}
          </Text>
        )}
      </div>
      {error ? <Waiting error={error} /> : !connected && !campaign.ended && <Alert color="yellow">The connection to the service is lost; retrying.</Alert>}
      <ProgressHeader campaign={campaign} />
      {campaign.lints.map((lint) => (
        <Alert key={`${lint.path} ${lint.message}`} color="yellow" variant="light" title={lint.path}>
          {lint.message}
        </Alert>
      ))}
      {comparison && anyResult ? (
        <ComparisonSection
          comparison={comparison}
          metric={view.metric}
          columns={view.columns}
          onChange={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
        />
      ) : (
        <Text c="dimmed">{campaign.ended ? "No run succeeded: there is nothing to compare." : "The comparison appears when the first run has finished."}</Text>
      )}
      <Title order={3}>Runs</Title>
      {runs && <RunsTable runs={runs.runs} />}
      {runs?.next_cursor && (
        <Text size="sm">
          Showing the first {runs.runs.length} of {campaign.total_runs} runs.{" "}
          {formatUnlisted(campaign.runs.failed, runs.runs.filter((run) => run.state === "failed").length)}
        </Text>
      )}
      <Accordion variant="contained">
        <Accordion.Item value="file">
          <Accordion.Control>Submitted campaign file</Accordion.Control>
          <Accordion.Panel>
            <Code block>{JSON.stringify(campaign.document, null, 2)}</Code>
            <Text size="sm" mt="xs">
              {campaign.simulators.map((build) => `simulator ${build.name} ${build.digest}`).join(", ")}
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}
