import type { ReactNode } from "react";

/** The instrument bar of a page. */
export function Controls({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="controls" role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}

export interface Option {
  value: string;
  label: string;
}

interface PickProps {
  label: string;
  value: string;
  options: readonly (Option | string)[];
  onChange: (value: string) => void;
  /** At the end of the bar. */
  end?: boolean;
}

/** One choice of the instrument bar. */
export function Pick({ label, value, options, onChange, end }: PickProps) {
  return (
    <label className={end ? "ctl end" : "ctl"}>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const { value: key, label: shown } = typeof option === "string" ? { value: option, label: option } : option;
          return (
            <option key={key} value={key}>
              {shown}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** Choices as a row of buttons. */
export function Segments<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string; count?: number | undefined; disabled?: boolean }[];
  onChange: (value: T) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons of one group
    <div className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={value === option.value}
          disabled={option.disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && <span>{option.count.toLocaleString("en-US")}</span>}
        </button>
      ))}
    </div>
  );
}
