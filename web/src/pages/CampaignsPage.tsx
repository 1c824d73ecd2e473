import { Anchor, Badge, Code, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Campaign } from "../api/client";
import { campaignsQuery } from "../api/queries";
import { Waiting } from "../components/Waiting";
import { WideTable } from "../components/WideTable";
import { formatProgress, formatTime } from "../format";

function stateOf(campaign: Campaign): [string, string] {
  if (campaign.state === "cancelled") return ["cancelled", "orange"];
  if (campaign.state !== "ended") return [campaign.state, "blue"];
  return campaign.runs.failed > 0 ? [`${campaign.runs.failed} failed`, "red"] : ["ended", "teal"];
}

export function CampaignsPage() {
  const { data, error } = useQuery(campaignsQuery);
  if (!data) return <Waiting error={error} />;
  return (
    <Stack>
      <Title order={2}>Campaigns</Title>
      {data.campaigns.length === 0 && (
        <Text>
          No campaigns yet. Submit one with <Code>windtunnel run papers/cfi16/quick.yaml</Code>.
        </Text>
      )}
      <WideTable>
        <Table highlightOnHover withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>name</Table.Th>
              <Table.Th>state</Table.Th>
              <Table.Th ta="right">runs</Table.Th>
              <Table.Th>submitted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.campaigns.map((campaign) => {
              const [state, color] = stateOf(campaign);
              return (
                <Table.Tr key={campaign.id}>
                  <Table.Td>
                    <Anchor component={Link} to={`/campaigns/${campaign.id}`}>
                      {campaign.name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Badge color={color} variant="light" miw="max-content">
                      {state}
                    </Badge>
                  </Table.Td>
                  <Table.Td ta="right">
                    {formatProgress(campaign.runs)}
                  </Table.Td>
                  <Table.Td>
                    {formatTime(campaign.created_at)}
                    {campaign.submitted_by && (
                      <Text span c="dimmed" size="sm">
                        {" "}
                        by {campaign.submitted_by}
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}
