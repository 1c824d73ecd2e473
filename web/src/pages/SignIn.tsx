import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../api/client";
import { useTitle } from "../app/title";

/** Exchanges a token for an HttpOnly cookie. */
export function SignIn() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  useTitle("Sign in");
  const linkHasEnded = new URLSearchParams(window.location.search).get("sign-in") === "ended";
  const signIn = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/session", { body: { token: token.trim() } })),
    onSuccess: () => queries.resetQueries(),
  });
  return (
    <form
      className="box sign-in stack"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <h1>Sign in</h1>
      {linkHasEnded && (
        <p className="error-text">
          This link was used before or has expired. <code>windtunnel open</code> prints a new one.
        </p>
      )}
      <label className="field">
        Token
        <input
          className="input"
          type="password"
          placeholder="wt_..."
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {signIn.error && (
          <span className="error" role="alert">
            {signIn.error.message}
          </span>
        )}
      </label>
      <button type="submit" className="btn main" disabled={token.trim() === "" || signIn.isPending}>
        Sign in
      </button>
      <p className="quiet">
        On the machine that runs the service, <code>windtunnel open</code> prints a link that signs you in. An
        administrator creates tokens with <code>windtunnel token create NAME --scope read</code>; with Docker, the
        bootstrap token is in the <code>.env</code> file that <code>make env</code> wrote.
      </p>
    </form>
  );
}
