const GLYPHS: Record<string, string> = {
  better: "M0,-4L4,3H-4Z",
  worse: "M0,4L-4,-3H4Z",
  equivalent: "M-4,-2.4H4V-.6H-4ZM-4,.6H4V2.4H-4Z",
  passed: "M-4,0L-2.6,-1.4L-1,.2L2.6,-3.4L4,-2L-1,3Z",
  failed: "M-3.4,-2L-2,-3.4L0,-1.4L2,-3.4L3.4,-2L1.4,0L3.4,2L2,3.4L0,1.4L-2,3.4L-3.4,2L-1.4,0Z",
};
const OPEN = "M-4,-.9H-1.6V.9H-4ZM-1.2,-.9H1.2V.9H-1.2ZM1.6,-.9H4V.9H1.6Z";

/** A verdict: a word and a shape; colour repeats it. */
export function Chip({ label, title }: { label: string; title?: string | undefined }) {
  return (
    <span className={`chip ${label.replaceAll(" ", "-")}`} title={title}>
      <svg viewBox="-5 -5 10 10" aria-hidden="true">
        <path d={GLYPHS[label] ?? OPEN} />
      </svg>
      {label}
    </span>
  );
}
