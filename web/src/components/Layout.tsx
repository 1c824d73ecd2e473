import { Anchor, Box, Button, Container, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { api } from "../api/client";
import { sessionQuery } from "../api/queries";
import { SignIn } from "./SignIn";
import { Waiting } from "./Waiting";

export function Layout() {
  const { data: session, error } = useQuery(sessionQuery);
  return (
    <>
      <Box component="header" bg="#0b4f6c" c="white" py="xs">
        <Container size="xl">
          <Group gap="lg">
            <Anchor component={Link} to="/campaigns" c="white" fw={700} underline="never">
              Windtunnel
            </Anchor>
            <Text size="sm" visibleFrom="sm">
              a wind tunnel for TCP congestion control
            </Text>
            {session?.name && <SignedIn name={session.name} />}
          </Group>
        </Container>
      </Box>
      <Container component="main" size="xl" py="md">
        {session ? !session.name ? <SignIn /> : <Outlet /> : <Waiting error={error} />}
      </Container>
    </>
  );
}

/** The name of the token in use, and the sign-out button. */
function SignedIn({ name }: { name: string }) {
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => api.DELETE("/api/v1/session"),
    onSuccess: () => queries.resetQueries(),
  });
  return (
    <Group gap="xs" ml="auto">
      <Text size="sm">{name}</Text>
      <Button size="compact-xs" variant="white" color="#0b4f6c" onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </Group>
  );
}
