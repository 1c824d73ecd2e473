interface Props {
  /** A list that is loaded page by page. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  shown: number;
}

/** Loads the next page of a list; nothing at its end. */
export function ShowMore({ list, shown }: Props) {
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      className="btn more"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      Show more than {shown.toLocaleString("en-US")}
    </button>
  );
}
