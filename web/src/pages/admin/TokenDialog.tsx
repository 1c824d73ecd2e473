import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Command } from "../../ui/Copy";
import { Dialog } from "../../ui/Dialog";
import { ErrorNote } from "../../ui/states";
import { changeToken, type NewTokenIn, type Token, type TokenChange } from "./queries";

export type AskedChange = { action: "create" } | { action: "rotate" | "revoke"; token: Token };

const TITLES = { create: "New token", rotate: "Rotate this token?", revoke: "Revoke this token?" };
const BUTTONS = { create: "Create", rotate: "Rotate", revoke: "Revoke" };
const SCOPES = [
  ["read", "read: see everything, change nothing"],
  ["submit", "submit: also submit campaigns, and change one's own"],
  ["admin", "admin: everything"],
] as const;

/**
 * Create, rotate or revoke a token. The service takes this from a token only, never from a browser's session: the
 * admin token is typed for this one request and kept nowhere.
 */
export function TokenDialog({ asked, onClose }: { asked: AskedChange; onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<NewTokenIn>({ name: "", scope: "submit", days: 365 });
  const [adminToken, setAdminToken] = useState("");
  const change = useMutation({
    mutationFn: (): ReturnType<typeof changeToken> => {
      const { action } = asked;
      const wanted: TokenChange = action === "create" ? { action, token: draft } : { action, token: asked.token };
      return changeToken(wanted, adminToken.trim());
    },
    gcTime: 0,
    onSettled: () => setAdminToken(""),
    onSuccess: (created) => {
      void queries.invalidateQueries({ queryKey: ["tokens"] });
      void queries.invalidateQueries({ queryKey: ["audit"] });
      if (!created) onClose();
    },
  });
  if (change.data) return <Created name={change.data.name} token={change.data.token} onClose={onClose} />;
  const send = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Dialog title={TITLES[asked.action]} onClose={onClose}>
      <form className="stack" onSubmit={send}>
        {asked.action === "create" ? (
          <Fields draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
        ) : (
          <p>{meaning(asked)}</p>
        )}
        <label className="field">
          Your admin token
          <input
            className="input"
            type="password"
            autoComplete="off"
            placeholder="wt_..."
            required
            value={adminToken}
            onChange={(event) => setAdminToken(event.currentTarget.value)}
          />
          <span className="quiet">Sent with this one request. A browser’s session cannot change tokens.</span>
        </label>
        {change.error && <ErrorNote error={change.error} />}
        <div className="acts">
          <button type="button" className="btn" onClick={onClose}>
            Back
          </button>
          <button
            type="submit"
            className={`btn ${asked.action === "revoke" ? "danger" : "main"}`}
            disabled={change.isPending}
          >
            {BUTTONS[asked.action]}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function meaning({ action, token }: { action: "rotate" | "revoke"; token: Token }): string {
  const whose = `The token ${token.id.slice(0, 10)} of ${token.name} (scope ${token.scope})`;
  if (action === "rotate")
    return `${whose} is replaced by a new one with the same scope and quotas; the old one is revoked immediately.`;
  return `${whose} is revoked immediately; its browsers are signed out. Campaigns keep running.`;
}

function Fields({ draft, onChange }: { draft: NewTokenIn; onChange: (part: Partial<NewTokenIn>) => void }) {
  const numbers = [
    ["max_open_runs", "Most open runs", 1],
    ["cpu_hours_per_day", "CPU hours a day", 0.1],
    ["max_storage_bytes", "Storage (GiB)", 0.1],
  ] as const;
  return (
    <>
      <label className="field">
        Owner
        <input
          className="input"
          required
          maxLength={63}
          value={draft.name}
          placeholder="shown on the campaigns they submit"
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      <label className="field">
        Scope
        <select
          className="select"
          value={draft.scope}
          onChange={(event) => onChange({ scope: event.currentTarget.value as NewTokenIn["scope"] })}
        >
          {SCOPES.map(([scope, title]) => (
            <option key={scope} value={scope}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <div className="admin-fields">
        <label className="field">
          Valid for (days)
          <input
            className="input"
            type="number"
            min={1}
            max={3650}
            placeholder="never expires"
            value={draft.days ?? ""}
            onChange={(event) => onChange({ days: numberOf(event.currentTarget.value) })}
          />
        </label>
        {numbers.map(([name, title, step]) => (
          <label key={name} className="field">
            {title}
            <input
              className="input"
              type="number"
              min={0}
              step={step}
              placeholder="default"
              onChange={(event) => onChange({ [name]: quotaOf(name, numberOf(event.currentTarget.value)) })}
            />
          </label>
        ))}
      </div>
    </>
  );
}

const numberOf = (text: string): number | null => (text === "" ? null : Number(text));

const quotaOf = (name: string, value: number | null): number | null =>
  name === "max_storage_bytes" && value !== null ? Math.round(value * 2 ** 30) : value;

function Created({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  return (
    <Dialog title={`Token of ${name}`} onClose={onClose}>
      <p>Copy it now: it is shown this once, and the service stores only its digest.</p>
      <div data-testid="new-token">
        <Command>{token}</Command>
      </div>
      <div className="acts">
        <button type="button" className="btn main" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
