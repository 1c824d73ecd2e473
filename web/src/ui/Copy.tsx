import { useState } from "react";

/** A command that can be copied. */
export function Command({ children }: { children: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="cmd">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways */}
      <span tabIndex={0}>{children}</span>
      <button
        type="button"
        onClick={() => {
          void navigator.clipboard?.writeText(children).then(() => {
            setCopied(true);
            setTimeout(() => setCopied(false), 1500);
          });
        }}
      >
        {copied ? "copied" : "copy"}
      </button>
    </div>
  );
}
