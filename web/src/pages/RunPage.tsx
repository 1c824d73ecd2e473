import { Accordion, Alert, Anchor, Breadcrumbs, Card, Code, Group, Progress, Select, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Run } from "../api/client";
import { campaignQuery, logQuery, runQuery, seriesQuery } from "../api/queries";
import { seriesOption } from "../charts/series";
import { Chart } from "../components/Chart";
import { StateBadge } from "../components/StateBadge";
import { Waiting } from "../components/Waiting";
import { formatAmount, formatNumber } from "../format";

function SeriesCard({ run, chosen, onChange }: { run: Run; chosen: string | undefined; onChange: (name: string) => void }) {
  // The service lists the fullest series first: by default, show the queue that fills up most.
  const queues = run.series.filter((one) => one.name.startsWith("queue_length"));
  const name = chosen ?? queues[0]?.name ?? run.series[0]?.name ?? "";
  const { data, error } = useQuery({ ...seriesQuery(run.id, name), enabled: name !== "" });
  const option = useMemo(() => data && seriesOption(data), [data]);
  if (name === "") return null;
  return (
    <Card withBorder padding="sm">
      <Select label="Series" data={run.series.map((one) => one.name)} value={name} onChange={(one) => one && onChange(one)} allowDeselect={false} searchable />
      {option && data ? (
        <>
          <Chart option={option} height={260} label={`${name} over simulated time`} />
          <Text size="xs" c="dimmed">
            {data.length.toLocaleString("en-US")} samples{data.preview ? `, ${data.values.length.toLocaleString("en-US")} shown (minimum and maximum per bucket)` : ""}; mean{" "}
            {formatNumber(data.mean)}, maximum {formatNumber(data.maximum)} {data.unit}
          </Text>
        </>
      ) : (
        <Waiting error={error} />
      )}
    </Card>
  );
}

function Metrics({ run }: { run: Run }) {
  if (run.metrics.length === 0) return null;
  return (
    <Table withTableBorder striped>
      <Table.Tbody>
        {run.metrics.map((metric) => (
          <Table.Tr key={metric.name}>
            <Table.Td>{metric.title}</Table.Td>
            <Table.Td ta="right">
              {formatNumber(metric.value)} {metric.unit}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Log({ id }: { id: string }) {
  const { data, error } = useQuery(logQuery(id));
  if (!data) return <Waiting error={error} />;
  return (
    <Stack>
      {data.attempts.map((attempt) => (
        <div key={attempt.number}>
          <Text size="sm">
            attempt {attempt.number} on {attempt.worker}: {attempt.outcome ?? "running"} {attempt.message}
          </Text>
          {attempt.image && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              image {attempt.image}
            </Text>
          )}
          {attempt.stderr && <Code block>{attempt.stderr}</Code>}
        </div>
      ))}
    </Stack>
  );
}

export function RunPage() {
  const { runId } = useParams({ from: "/runs/$runId" });
  const view = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const { data: run, error } = useQuery(runQuery(runId));
  const campaignId = run?.campaigns[0];
  const { data: campaign } = useQuery({ ...campaignQuery(campaignId ?? ""), enabled: campaignId !== undefined });
  if (!run) return <Waiting error={error} />;
  const succeeded = run.state === "succeeded";
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor component={Link} to="/campaigns">
          campaigns
        </Anchor>
        {campaignId && (
          <Anchor component={Link} to={`/campaigns/${campaignId}`}>
            {campaign?.name ?? campaignId}
          </Anchor>
        )}
        <Text ff="monospace">{run.id.slice(0, 10)}</Text>
      </Breadcrumbs>
      <Group>
        <Title order={2}>Run {run.id.slice(0, 10)}</Title>
        <StateBadge state={run.state} />
        <Text size="sm" c="dimmed">
          seed {run.seed_index} on {run.simulator_name} {run.simulator_digest.slice(0, 8)}, {formatAmount(run.events)} events
        </Text>
      </Group>
      {run.failure && (
        <Alert color="red" title={run.failure} data-testid="failure">
          {run.message}
        </Alert>
      )}
      {run.note && <Alert color="yellow">{run.note}</Alert>}
      {run.state === "running" && <Progress value={(100 * run.simulated_ns) / Math.max(1, run.duration_ns)} aria-label="run progress" />}
      <SeriesCard run={run} chosen={view.series} onChange={(series) => void navigate({ search: { series }, replace: true })} />
      <Metrics run={run} />
      <Card withBorder padding="sm">
        <Text size="sm">Reproduce this run on your machine (fetches its spec from this service):</Text>
        <Code block>windtunnel simulate --run {run.id.slice(0, 12)} --server {window.location.origin}</Code>
        {succeeded && (
          <>
            <Text size="sm" mt="xs">
              Verify that it still produces the same bytes:
            </Text>
            <Code block>windtunnel verify {run.id.slice(0, 12)} --server {window.location.origin}</Code>
          </>
        )}
        {run.digest && (
          <Text size="xs" c="dimmed" mt="xs" style={{ overflowWrap: "anywhere" }}>
            digest of the records: {run.digest}
          </Text>
        )}
      </Card>
      <Accordion variant="contained" multiple defaultValue={run.failure ? ["log"] : []}>
        {run.checks.length > 0 && <Accordion.Item value="checks">
          <Accordion.Control>
            Invariant checks ({run.checks.filter((check) => check.held).length}/{run.checks.length} passed)
          </Accordion.Control>
          <Accordion.Panel>
            {run.checks.map((check) => (
              <Text size="sm" key={check.name} c={check.held ? "inherit" : "red"}>
                {check.held ? "passed" : "FAILED"}: {check.name}: {check.detail}
              </Text>
            ))}
          </Accordion.Panel>
        </Accordion.Item>}
        <Accordion.Item value="log">
          <Accordion.Control>Attempts and log</Accordion.Control>
          <Accordion.Panel>
            <Log id={run.id} />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="spec">
          <Accordion.Control>Run spec and effective configuration</Accordion.Control>
          <Accordion.Panel>
            <Code block>{JSON.stringify({ spec: run.spec, configuration: run.configuration, metadata: run.metadata }, null, 2)}</Code>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}
