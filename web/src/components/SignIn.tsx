import { Button, Code, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../api/client";

/** Exchanges a token for an HttpOnly cookie. */
export function SignIn() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
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
            An administrator creates tokens with <Code>windtunnel token create NAME --scope read</Code>. The bootstrap
            token is in the <Code>.env</Code> file that <Code>make env</Code> wrote.
          </Text>
        </Stack>
      </form>
    </Paper>
  );
}
