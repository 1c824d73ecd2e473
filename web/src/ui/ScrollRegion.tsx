import type { CSSProperties, ReactNode, Ref } from "react";

interface Props {
  /** What a screen reader calls it. */
  label: string;
  className?: string;
  style?: CSSProperties | undefined;
  testId?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/** A part that scrolls by itself, also by keyboard. */
export function ScrollRegion({ label, className = "scroll", style, testId, ref, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={ref} className={className} style={style} tabIndex={0} aria-label={label} data-testid={testId}>
      {children}
    </section>
  );
}
