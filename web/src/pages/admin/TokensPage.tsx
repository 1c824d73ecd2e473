import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTitle } from "../../app/title";
import { formatAge, formatSize, formatTime } from "../../format";
import { Command } from "../../ui/Copy";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ErrorNote, Skeleton } from "../../ui/states";
import { AdminOnly } from "./AdminOnly";
import { AuditLog } from "./AuditLog";
import { type Token, tokensQuery, type Usage, usageQuery } from "./queries";
import { type AskedChange, TokenDialog } from "./TokenDialog";
import "./admin.css";

/** Tokens with what their owners use, and the audit log. */
export function TokensPage() {
  useTitle("Tokens");
  return (
    <AdminOnly what="Tokens are">
      <Tokens />
      <AuditLog />
    </AdminOnly>
  );
}

function Tokens() {
  const { data: tokens, error } = useQuery(tokensQuery);
  const { data: usage } = useQuery(usageQuery);
  const [asked, setAsked] = useState<AskedChange | null>(null);
  const [showEnded, setShowEnded] = useState(false);
  const live = tokens?.filter((token) => stateOf(token) === "valid") ?? [];
  const shown = showEnded ? (tokens ?? []) : live;
  const hidden = (tokens?.length ?? 0) - live.length;
  return (
    <>
      <div className="head">
        <div>
          <h1>Tokens</h1>
          <p className="facts">
            {tokens && (
              <span>
                <b>{live.length}</b> valid
              </span>
            )}
            {hidden > 0 && (
              <button type="button" className="link" onClick={() => setShowEnded(!showEnded)}>
                {showEnded ? "Hide" : "Show"} {hidden} revoked or expired
              </button>
            )}
          </p>
        </div>
        <div className="acts">
          <button type="button" className="btn main" onClick={() => setAsked({ action: "create" })}>
            New token
          </button>
        </div>
      </div>
      {error && <ErrorNote error={error} />}
      {tokens ? (
        <TokensTable tokens={shown} usage={usage?.submitters ?? []} onAsk={setAsked} />
      ) : (
        !error && <Skeleton />
      )}
      <div className="admin-hint">
        <p className="quiet">Or on the command line, with an admin token in WINDTUNNEL_TOKEN:</p>
        <Command>windtunnel token create NAME --scope submit</Command>
      </div>
      {asked && <TokenDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

interface TableProps {
  tokens: Token[];
  usage: Usage[];
  onAsk: (change: AskedChange) => void;
}

function TokensTable({ tokens, usage, onAsk }: TableProps) {
  const byName = new Map(usage.map((one) => [one.name, one]));
  return (
    <ScrollRegion label="Tokens" className="scroll admin-table">
      <table className="grid" data-testid="tokens">
        <thead>
          <tr>
            <th scope="col" className="ax">
              owner
            </th>
            <th scope="col">scope</th>
            <th scope="col">id</th>
            <th scope="col">created</th>
            <th scope="col">last used</th>
            <th scope="col">expires</th>
            <th scope="col" className="r">
              open runs
            </th>
            <th scope="col" className="r">
              CPU, last 24 h
            </th>
            <th scope="col" className="r">
              storage
            </th>
            <th scope="col" className="r">
              change
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <Row key={token.id} token={token} usage={byName.get(token.name)} onAsk={onAsk} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Row({ token, usage, onAsk }: { token: Token; usage: Usage | undefined; onAsk: TableProps["onAsk"] }) {
  const state = stateOf(token);
  return (
    <tr className={state === "valid" ? undefined : "ended"}>
      <th scope="row" className="ax">
        {token.name}
      </th>
      <td>{token.scope}</td>
      <td className="runs">{token.id.slice(0, 10)}</td>
      <td title={formatTime(token.created_at)}>{formatAge(token.created_at)}</td>
      <td title={token.last_used_at ? formatTime(token.last_used_at) : undefined}>
        {token.last_used_at ? formatAge(token.last_used_at) : "never"}
      </td>
      <td>
        {token.revoked_at
          ? `revoked ${formatAge(token.revoked_at)}`
          : token.expires_at
            ? formatDay(token.expires_at)
            : "never"}
      </td>
      <td className="r">
        {!usage
          ? "–"
          : used(usage.open_runs.toLocaleString("en-US"), usage.quotas.max_open_runs?.toLocaleString("en-US"))}
      </td>
      <td className="r">
        {!usage
          ? "–"
          : used(
              `${usage.cpu_hours.toFixed(1)} h`,
              usage.quotas.cpu_hours_per_day && `${usage.quotas.cpu_hours_per_day} h`,
            )}
      </td>
      <td className="r">
        {!usage
          ? "–"
          : used(
              formatSize(usage.storage_bytes),
              usage.quotas.max_storage_bytes && formatSize(usage.quotas.max_storage_bytes),
            )}
      </td>
      <td className="r">
        {state !== "revoked" && (
          <span className="row-acts">
            <button type="button" className="link" onClick={() => onAsk({ action: "rotate", token })}>
              Rotate
            </button>
            <button type="button" className="link" onClick={() => onAsk({ action: "revoke", token })}>
              Revoke
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}

/** `12 of 500`; without a quota the value alone. */
function used(value: string, quota: string | number | null | undefined) {
  if (!quota || quota === "0") return value;
  return (
    <>
      {value} <i className="none">of {quota}</i>
    </>
  );
}

export function stateOf(token: Token): "valid" | "expired" | "revoked" {
  if (token.revoked_at) return "revoked";
  return token.expires_at && new Date(token.expires_at).getTime() < Date.now() ? "expired" : "valid";
}

const formatDay = (iso: string): string => {
  const day = new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return new Date(iso).getTime() < Date.now() ? `expired ${day}` : day;
};
