import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionQuery } from "../../api/queries";
import { Nothing } from "../../ui/states";

/** Its content for administrators; for others, why it is not shown. */
export function AdminOnly({ what, children }: { what: string; children: ReactNode }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session || session.scope === "admin") return children;
  return (
    <Nothing title={`${what} for administrators.`}>
      <p>
        {session.name ?? "This token"} has scope {session.scope}; this page needs scope admin.
      </p>
    </Nothing>
  );
}
