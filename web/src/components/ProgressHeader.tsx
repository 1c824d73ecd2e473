import { Alert, Group, Progress, Stack, Text } from "@mantine/core";
import type { Campaign } from "../api/client";
import { formatAmount, formatDuration, formatProgress, progressSegments } from "../format";
import { STATE_COLORS } from "./StateBadge";

/** A campaign's progress in runs and in simulated time. */
export function ProgressHeader({ campaign }: { campaign: Campaign }) {
  const { runs } = campaign;
  return (
    <Stack gap={6}>
      <Progress.Root aria-label="progress">
        {progressSegments(campaign).map(({ state, percent }) => (
          <Progress.Section key={state} value={percent} color={STATE_COLORS[state] ?? "gray"} aria-label={state} />
        ))}
      </Progress.Root>
      <Group gap="lg" data-testid="progress">
        <Text size="sm" fw={600}>
          {formatProgress(runs)}
        </Text>
        {campaign.reused_runs > 0 && <Text size="sm">{campaign.reused_runs} reused</Text>}
        {runs.running > 0 && <Text size="sm">{runs.running} running</Text>}
        {runs.failed > 0 && (
          <Text size="sm" c="red">
            {runs.failed} failed
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {(campaign.simulated_ns / 1e9).toFixed(0)}/{(campaign.planned_ns / 1e9).toFixed(0)} s simulated
        </Text>
        <Text size="sm" c="dimmed">
          {formatAmount(campaign.events)} events, {formatDuration(campaign.actual_cpu_seconds)} of CPU time (predicted{" "}
          {formatAmount(campaign.predicted_events)}, {formatDuration(campaign.predicted_cpu_seconds)})
        </Text>
      </Group>
      {campaign.note && <Alert color="yellow">{campaign.note}</Alert>}
    </Stack>
  );
}
