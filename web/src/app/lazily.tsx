import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { api, UnavailableError, unwrap } from "../api/client";
import { ErrorNote, Skeleton } from "../ui/states";
import { queryClient } from "./queryClient";

/** A file of the pages can't be loaded although the service answers. */
class OutdatedError extends Error {}

async function load<M>(name: string, part: () => Promise<M>): Promise<M> {
  const reloaded = `windtunnel-reloaded-${name}`;
  try {
    const loaded = await part();
    sessionStorage.removeItem(reloaded);
    return loaded;
  } catch {
    unwrap(await api.GET("/api/v1/health"));
    // The service has another version by now, or the browser keeps a failed attempt: both end with a new page.
    if (sessionStorage.getItem(reloaded) === null) {
      sessionStorage.setItem(reloaded, "yes");
      window.location.reload();
      return new Promise(() => undefined);
    }
    throw new OutdatedError("A part of it is missing on the service.");
  }
}

type PartQuery<M> = UseQueryOptions<M, Error, M, string[]> & { queryKey: string[] };

/**
 * A file of the pages as a query like any other: while the service is away the page says so, and the file is asked for
 * again when it is back.
 */
const partQuery = <M,>(name: string, part: () => Promise<M>): PartQuery<M> => ({
  queryKey: ["part", name],
  queryFn: () => load(name, part),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});

interface PartProps<M> {
  query: PartQuery<M>;
  lines?: number;
  children: (module: M) => ReactNode;
}

/** What a file shows that is loaded when it is first needed; or its bones, or why it can't be loaded. */
function Part<M>({ query, lines, children }: PartProps<M>) {
  const { data, error, refetch } = useQuery(query);
  if (data) return children(data);
  if (!error) return <Skeleton {...(lines && { lines })} />;
  if (error instanceof UnavailableError) {
    return (
      <ErrorNote error={error}>
        <p>
          <button type="button" className="btn small" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      </ErrorNote>
    );
  }
  return (
    <div className="note failed" role="alert">
      <b>This page can’t be loaded.</b> {error.message}{" "}
      <button type="button" className="btn small" onClick={() => window.location.reload()}>
        Reload
      </button>
    </div>
  );
}

/** A component of a file that is loaded when it is first shown. */
export function lazily<P extends object>(
  name: string,
  part: () => Promise<{ default: ComponentType<P> }>,
  lines: number,
): (props: P) => ReactNode {
  const query = partQuery(name, part);
  return (props) => (
    <Part query={query} lines={lines}>
      {(module) => <module.default {...props} />}
    </Part>
  );
}

/** A page of a file that is loaded when it is first shown. The type of the file is not looked into: it knows the routes. */
export function lazyPage<M>(part: () => Promise<M>, name: keyof M & string) {
  const query = partQuery(name, part);
  const show = (): ReactNode => (
    <Part query={query}>
      {(module) => {
        const Page = module[name] as ComponentType;
        return <Page />;
      }}
    </Part>
  );
  // The router calls this before it shows a page, which then appears without bones.
  return Object.assign(show, { preload: () => queryClient.prefetchQuery({ ...query, retry: false }) });
}
