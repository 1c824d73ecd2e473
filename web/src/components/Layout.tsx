import { Anchor, Box, Container, Group, Text } from "@mantine/core";
import { Link, Outlet } from "@tanstack/react-router";

export function Layout() {
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
          </Group>
        </Container>
      </Box>
      <Container component="main" size="xl" py="md">
        <Outlet />
      </Container>
    </>
  );
}
