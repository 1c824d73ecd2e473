import { Alert, Loader } from "@mantine/core";
import { ProblemError } from "../api/client";

/** Shown instead of data: a loading indicator, or the error. */
export function Waiting({ error }: { error: Error | null }) {
  if (!error) return <Loader aria-label="loading" />;
  const title = error instanceof ProblemError ? error.problem.title : "The service is not responding";
  return (
    <Alert color="red" title={title}>
      {error.message}
    </Alert>
  );
}
