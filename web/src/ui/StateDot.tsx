import { KIND_WORDS } from "../pages/campaign/kinds";

/** A state as a dot and a word. */
export function StateDot({ kind }: { kind: string }) {
  return (
    <>
      <span className={`dot ${kind}`} />
      {kind in KIND_WORDS ? KIND_WORDS[kind as keyof typeof KIND_WORDS] : kind}
    </>
  );
}
