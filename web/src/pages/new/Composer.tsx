import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Plan as CampaignPlan, ProblemError } from "../../api/client";
import { catalogueQuery } from "../../api/queries";
import { lazily } from "../../app/lazily";
import { ErrorNote } from "../../ui/states";
import { keepDraft, readDraft } from "./draft";
import type { LineNote } from "./Editor";
import { PlanView } from "./PlanView";
import { maxBytesQuery, newKey, planQuery, schemaQuery, submit } from "./queries";
import type { Vocabulary } from "./schema";
import { outlineOf } from "./yamlPath";

const Editor = lazily("Editor", () => import("./Editor"), 12);
const DEBOUNCE_MS = 400;

interface Props {
  /** Names the starting point; a draft is kept for each. */
  start: string;
  origin: string;
  text: string;
}

/** A campaign file in an editor, and its plan, which follows the text. */
export function Composer({ start, origin, text: original }: Props) {
  const [initial, setInitial] = useState(() => readDraft(start) ?? original);
  const [text, setText] = useState(initial);
  const settled = useDebounced(text);
  const [refused, setRefused] = useState("");
  const plan = useQuery({ ...planQuery(settled), placeholderData: keepPreviousData });
  const notes = useMemo(
    () => notesOf(plan.error, plan.isPlaceholderData ? undefined : plan.data),
    [plan.error, plan.data, plan.isPlaceholderData],
  );
  const vocabulary = useVocabulary(settled);
  const changed = text !== original;
  const sending = useSubmit(start, text);
  const { data: maxBytes } = useQuery(maxBytesQuery);
  const lineless = errorsOf(plan.error).filter(({ line }) => line == null);

  useEffect(() => keepDraft(start, settled === original ? null : settled), [start, settled, original]);
  useKeepOnLeave(start, text, original, sending.isSuccess);

  const startOver = () => {
    keepDraft(start, null);
    setInitial(original);
    setText(original);
  };
  const pending = settled !== text || plan.isFetching;
  const valid = plan.data && !plan.error && !pending;
  return (
    <>
      <div className="head">
        <div className="crumb">
          <Link to="/new" search={{}}>
            New campaign
          </Link>{" "}
          / from {origin}
        </div>
        <div>
          <h1>{outlineName(text)}</h1>
          <p className="facts" data-testid="draft">
            {changed ? (
              <>
                <span>Changed; the draft stays in this tab.</span>
                <button type="button" className="link" onClick={startOver}>
                  Start over
                </button>
              </>
            ) : (
              <span>As in {origin}.</span>
            )}
          </p>
        </div>
        <div className="acts">
          <button
            type="button"
            className="btn main"
            disabled={!valid || sending.isPending || sending.isSuccess}
            title={valid ? undefined : "The file has to be valid first"}
            onClick={() => sending.mutate()}
          >
            {plan.data && valid
              ? `Submit ${plan.data.total_runs.toLocaleString("en-US")} ${plan.data.total_runs === 1 ? "run" : "runs"}`
              : "Submit"}
          </button>
        </div>
      </div>
      {sending.error && <ErrorNote error={sending.error} />}
      <div className="compose">
        <div className="compose-file">
          {refused && (
            <div className="note failed" role="alert" data-testid="refused">
              <b>Too large.</b> {refused}{" "}
              <button type="button" className="link" onClick={() => setRefused("")}>
                Close
              </button>
            </div>
          )}
          {lineless.length > 0 && (
            <div className="note failed" role="status" data-testid="lineless">
              {lineless.map(({ path, message }) => (
                <p key={`${path} ${message}`}>
                  {path && <span className="mono">{path}: </span>}
                  {message}
                </p>
              ))}
            </div>
          )}
          <Editor
            initial={initial}
            vocabulary={vocabulary}
            notes={notes}
            maxBytes={maxBytes}
            onChange={setText}
            onRefused={setRefused}
          />
          <p className="quiet editor-keys" id="editor-keys">
            <kbd>Ctrl</kbd> <kbd>Space</kbd> completes, <kbd>Ctrl</kbd> <kbd>F</kbd> searches, <kbd>Tab</kbd> indents;{" "}
            <kbd>Esc</kbd>, then <kbd>Tab</kbd>, leaves the editor.
          </p>
        </div>
        <PlanView plan={plan.data} error={plan.error} stale={pending} empty={text.trim() === ""} />
      </div>
    </>
  );
}

const outlineName = (text: string): string =>
  /^name:[ \t]*(["']?)([^\n#]*?)\1[ \t]*(#.*)?$/m.exec(text)?.[2] || "New campaign";

function useSubmit(start: string, text: string) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const attempt = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: () => {
      // The same text keeps its key, so that a repeated request makes no second campaign.
      if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
      return submit(text, attempt.current.key);
    },
    onSuccess: async (campaignId) => {
      keepDraft(start, null);
      void queries.invalidateQueries({ queryKey: ["campaigns"] });
      await navigate({ to: "/campaigns/$campaignId", params: { campaignId } });
    },
  });
}

/** The schema of the simulator that the file names, and its metrics. */
function useVocabulary(text: string): Vocabulary | null {
  const written = useMemo(() => outlineOf(text.slice(0, 100_000)).values.get("simulator"), [text]);
  const simulator = written?.split("@")[0] || "ns3";
  const { data: schema } = useQuery({ ...schemaQuery(simulator), placeholderData: keepPreviousData });
  const { data: catalogue } = useQuery(catalogueQuery);
  return useMemo(() => {
    const metrics = catalogue?.simulators.find(({ name }) => name === simulator)?.metrics ?? [];
    return schema ? { schema, metrics } : null;
  }, [schema, catalogue, simulator]);
}

const errorsOf = (error: Error | null) => (error instanceof ProblemError ? (error.problem.errors ?? []) : []);

/** Errors, or lints, at their lines; errors of no line are above the editor. */
function notesOf(error: Error | null, plan: CampaignPlan | undefined): LineNote[] {
  const errors = errorsOf(error);
  const severity = error ? "error" : "warning";
  return (error ? errors : (plan?.lints ?? [])).flatMap(({ path, message, line }) =>
    line == null ? [] : [{ line, path, message, severity }],
  );
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Keep what was typed last also if the page is left before it settles. */
function useKeepOnLeave(start: string, text: string, original: string, submitted: boolean): void {
  const latest = useRef({ text, submitted });
  latest.current = { text, submitted };
  useEffect(() => {
    const keep = () => {
      const { text: last, submitted: done } = latest.current;
      keepDraft(start, last === original || done ? null : last);
    };
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [start, original]);
}
