import { Badge } from "@mantine/core";

export const STATE_COLORS: Record<string, string> = {
  queued: "gray",
  running: "blue",
  succeeded: "teal",
  failed: "red",
  cancelled: "orange",
};

export function StateBadge({ state }: { state: string }) {
  return (
    <Badge color={STATE_COLORS[state] ?? "gray"} variant="light" miw="max-content">
      {state}
    </Badge>
  );
}
