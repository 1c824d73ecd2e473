import { route } from "./useRunView";

type RunSearch = ReturnType<typeof route.useSearch>;
type Change = { [K in keyof RunSearch]?: RunSearch[K] | undefined };

/** The parameters of the address with some changed; undefined removes one. None of those that were rejected stays. */
export const changed = (old: object, change: Change): RunSearch =>
  Object.fromEntries(
    Object.entries({ ...old, rejected: undefined, ...change }).filter(([, value]) => value !== undefined),
  ) as RunSearch;

/** Change parameters of the address. */
export function useChange(): (change: Change) => void {
  const navigate = route.useNavigate();
  return (change) => void navigate({ search: (old) => changed(old, change), replace: true, resetScroll: false });
}
