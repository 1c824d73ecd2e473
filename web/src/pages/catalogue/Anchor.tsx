import { getRouteApi, Link } from "@tanstack/react-router";

const route = getRouteApi("/catalogue");

/** A link to an entry, to copy. */
export function Anchor({ id, name }: { id: string; name: string }) {
  const { rejected: _, ...view } = route.useSearch();
  return (
    <Link to="/catalogue" search={view} hash={id} className="anchor" aria-label={`Link to ${name}`}>
      #
    </Link>
  );
}
