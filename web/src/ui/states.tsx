import type { ReactNode } from "react";
import { type Problem, ProblemError } from "../api/client";
import type { RejectedParameter } from "../app/search";

/** Bones of a page while its data load; they appear after 300 ms. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div role="status" aria-label="loading" className="skeleton">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity
        <div key={line} className="bone" style={{ width: `${[38, 92, 84, 66, 88, 52][line % 6]}%` }} />
      ))}
    </div>
  );
}

/** What went wrong, from the service's problem document where there is one. */
export function ErrorNote({ error, children }: { error: Error; children?: ReactNode }) {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return (
    <div className="note failed" role="alert">
      <b>{problem?.title ?? "The service does not answer."}</b> {error.message}
      {problem?.errors && !repeats(problem) && (
        <ul>
          {problem.errors.map((item) => (
            <li key={`${item.path} ${item.message}`}>
              {item.line != null && `line ${item.line}: `}
              <span className="mono">{item.path}</span>: {item.message}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}

/** Whether the problem's detail says already what its only error says. */
const repeats = ({ detail, errors }: Problem): boolean =>
  errors?.length === 1 && detail.includes(errors[0]?.message ?? "");

/** Shown instead of a page's data: bones, or the error. */
export function Waiting({ error }: { error: Error | null }) {
  return <div className="verdict">{error ? <ErrorNote error={error} /> : <Skeleton />}</div>;
}

/** Parameters of the address that the page could not use. */
export function RejectedNote({
  rejected = [],
  more = [],
  onClear,
}: {
  rejected: RejectedParameter[] | undefined;
  /** Problems that the data shows. */
  more?: string[];
  onClear: () => void;
}) {
  const problems = [...rejected.map(({ problem }) => problem), ...more];
  if (problems.length === 0) return null;
  return (
    <div className="note no-print" role="status" data-testid="rejected">
      <b>Part of the address is not used:</b> {problems.join("; ")}.{" "}
      <button type="button" className="link" onClick={onClear}>
        Remove it
      </button>
    </div>
  );
}

/** An empty list: what is missing and how to get it. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="nothing">
      <b>{title}</b>
      {children}
    </div>
  );
}
