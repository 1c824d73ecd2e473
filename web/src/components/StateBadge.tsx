import { Badge } from "@mantine/core";

const COLORS: Record<string, string> = {
  queued: "gray",
  running: "blue",
  succeeded: "teal",
  failed: "red",
  cancelled: "orange",
};

export function StateBadge({ state }: { state: string }) {
  return (
    <Badge color={COLORS[state] ?? "gray"} variant="light">
      {state}
    </Badge>
  );
}
