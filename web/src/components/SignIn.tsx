import { Button, Code, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../api/client";

/** Exchanges a token for an HttpOnly cookie. */
export function SignIn() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const linkHasEnded = new URLSearchParams(window.location.search).get("sign-in") === "ended";
  const signIn = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/session", { body: { token: token.trim() } })),
    onSuccess: () => queries.resetQueries(),
  });
  return (
    <Paper withBorder p="lg" maw={480} mx="auto" mt="xl">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <Stack>
          <Title order={2}>Sign in</Title>
          {linkHasEnded && (
            <Text size="sm" c="red">
              This link was used before or has expired. <Code>windtunnel open</Code> prints a new one.
            </Text>
          )}
          <PasswordInput
            label="Token"
            placeholder="wt_..."
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={signIn.error?.message}
          />
          <Button type="submit" loading={signIn.isPending} disabled={token.trim() === ""}>
            Sign in
          </Button>
          <Text size="sm" c="dimmed">
            On the machine that runs the service, <Code>windtunnel open</Code> prints a link that signs you in. An
            administrator creates tokens with <Code>windtunnel token create NAME --scope read</Code>; with Docker, the
            bootstrap token is in the <Code>.env</Code> file that <Code>make env</Code> wrote.
          </Text>
        </Stack>
      </form>
    </Paper>
  );
}
