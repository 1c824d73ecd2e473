import { Alert, Loader } from "@mantine/core";
import { ProblemError } from "../api/client";

/** What a page shows instead of data: that it is coming, or why it is not. */
export function Waiting({ error }: { error: Error | null }) {
  if (!error) return <Loader aria-label="loading" />;
  const title = error instanceof ProblemError ? error.problem.title : "The service does not answer";
  return (
    <Alert color="red" title={title}>
      {error.message}
    </Alert>
  );
}
