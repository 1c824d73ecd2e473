import { Box } from "@mantine/core";
import type { ReactNode } from "react";
import "./wide-table.css";

/** A table that scrolls sideways where it is wider than the page; shadows show that there is more. */
export function WideTable({ children }: { children: ReactNode }) {
  return (
    <Box className="wide-table" tabIndex={0} role="region" aria-label="table">
      {children}
    </Box>
  );
}
