import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { api } from "../api/client";
import { healthQuery, sessionQuery } from "../api/queries";
import { SignIn } from "../pages/SignIn";
import { Dialog } from "../ui/Dialog";
import { ErrorNote, Skeleton } from "../ui/states";
import { useAway } from "./away";
import { moveRow, SHORTCUTS, useShortcuts } from "./shortcuts";
import { toggleTheme } from "./theme";

/** The frame of every page: the bar at the top, keyboard shortcuts, and the state of the connection. */
export function Layout() {
  const session = useQuery(sessionQuery);
  const away = useAway();
  const queries = useQueryClient();
  useQuery({ ...healthQuery, enabled: away });
  return (
    <>
      <a className="sr skip" href="#main">
        Skip to the content
      </a>
      <TopBar name={session.data?.name ?? null} scope={session.data?.scope ?? null} />
      <main id="main" className="wrap">
        {away && (
          <p className="note no-print" role="status" data-testid="away">
            <b>The service does not answer.</b> What is shown is as of the last answer. Trying again, less often each
            time.{" "}
            <button type="button" className="link" onClick={() => void queries.invalidateQueries()}>
              Try now
            </button>
          </p>
        )}
        {session.isPending ? (
          <Skeleton />
        ) : session.data?.scope ? (
          <Outlet />
        ) : session.data ? (
          <SignIn />
        ) : (
          <ErrorNote error={session.error ?? new Error("")} />
        )}
      </main>
    </>
  );
}

function TopBar({ name, scope }: { name: string | null; scope: string | null }) {
  const navigate = useNavigate();
  const query = useRef<HTMLInputElement>(null);
  const [help, setHelp] = useState(false);
  const searched = useRouterState({
    select: ({ location }) => (location.pathname === "/campaigns" && (location.search as { q?: string }).q) || "",
  });
  const handlers = useMemo(
    () => ({
      "/": () => query.current?.focus(),
      "?": () => setHelp(true),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      n: () => void navigate({ to: "/new" }),
      t: () => void toggleTheme(),
    }),
    [navigate],
  );
  useShortcuts(handlers);
  return (
    <header className="top">
      <div className="wrap">
        <Link to="/campaigns" className="brand">
          <Mark />
          Windtunnel
        </Link>
        {scope && (
          <nav aria-label="Main">
            <Link to="/campaigns">Campaigns</Link>
            {scope !== "read" && <Link to="/new">New</Link>}
            <Link to="/catalogue">Catalogue</Link>
            {scope === "admin" && <Link to="/tokens">Tokens</Link>}
            {scope === "admin" && <Link to="/system">System</Link>}
          </nav>
        )}
        <search className="find-place">
          <form
            className="find"
            onSubmit={(event) => {
              event.preventDefault();
              const q = query.current?.value.trim();
              void navigate({ to: "/campaigns", search: q ? { q } : {} });
            }}
          >
            <svg
              width="13"
              height="13"
              viewBox="0 0 13 13"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.6"
              aria-hidden="true"
            >
              <circle cx="5.5" cy="5.5" r="4" />
              <path d="m8.5 8.5 3.5 3.5" />
            </svg>
            <input
              key={searched}
              ref={query}
              defaultValue={searched}
              name="q"
              placeholder="Search campaigns"
              aria-label="Search campaigns"
              onKeyDown={(event) => {
                if (event.key === "Escape") event.currentTarget.blur();
              }}
            />
            <kbd>/</kbd>
          </form>
        </search>
        <button type="button" className="icon" aria-label="Light or dark" onClick={toggleTheme}>
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.5" />
            <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4Z" fill="currentColor" />
          </svg>
        </button>
        {scope && <Account name={name} scope={scope} />}
      </div>
      {help && (
        <Dialog title="Keys" onClose={() => setHelp(false)}>
          <dl className="kv">
            {SHORTCUTS.map(([key, meaning]) => (
              <div key={key} style={{ display: "contents" }}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </header>
  );
}

function Account({ name, scope }: { name: string | null; scope: string }) {
  const queries = useQueryClient();
  const signOut = async () => {
    await api.DELETE("/api/v1/session");
    await queries.resetQueries();
  };
  return (
    <span className="account quiet">
      <span title={`scope ${scope}`}>{name ?? scope}</span>{" "}
      <button type="button" className="link" onClick={() => void signOut()}>
        Sign out
      </button>
    </span>
  );
}

/** The sign of the project: three streamlines around a body. */
function Mark() {
  return (
    <svg
      width="24"
      height="20"
      viewBox="0 0 24 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M1 6h7c3 0 3.6-4 7-4 2.6 0 4 1.3 5 2.6" />
      <path d="M1 10h8.5c2.6 0 4-1.6 6.5-1.6S20 10 23 10" />
      <path d="M1 14h7c3 0 3.6 4 7 4 2.6 0 4-1.3 5-2.6" />
    </svg>
  );
}
