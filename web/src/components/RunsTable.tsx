import { Anchor, Progress, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { RunRow } from "../api/client";
import { StateBadge } from "./StateBadge";
import { WideTable } from "./WideTable";

function Doing({ run }: { run: RunRow }) {
  if (run.state === "running") {
    return <Progress miw={80} value={(100 * run.simulated_ns) / Math.max(1, run.duration_ns)} aria-label="run progress" />;
  }
  if (run.state === "failed") {
    return (
      <Text size="sm" c="red">
        {run.failure}: {run.message}
      </Text>
    );
  }
  return run.wall_seconds === null ? null : <Text size="sm">{run.wall_seconds.toFixed(1)} s</Text>;
}

export function RunsTable({ runs }: { runs: RunRow[] }) {
  return (
    <WideTable>
      <Table withTableBorder data-testid="runs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>run</Table.Th>
            <Table.Th>cell</Table.Th>
            <Table.Th ta="right">seed</Table.Th>
            <Table.Th>state</Table.Th>
            <Table.Th w="40%">progress, time or failure</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={`${run.cell_index}-${run.seed_index}`}>
              <Table.Td>
                <Anchor component={Link} to={`/runs/${run.id}`} ff="monospace" size="sm">
                  {run.id.slice(0, 10)}
                </Anchor>
              </Table.Td>
              <Table.Td>{Object.values(run.coordinates).join(", ")}</Table.Td>
              <Table.Td ta="right">{run.seed_index}</Table.Td>
              <Table.Td>
                <StateBadge state={run.state} />
              </Table.Td>
              <Table.Td>
                <Doing run={run} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
