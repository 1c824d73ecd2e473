import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useRef } from "react";

const ROW_PX = 33;
/** Tables with fewer rows are drawn whole, so that they print and can be searched in. */
const VIRTUAL_FROM = 200;

export interface VirtualRows {
  /** The element that scrolls. */
  box: RefObject<HTMLElement | null>;
  /** Whether only rows in view are in the page. */
  virtual: boolean;
  /** Indices of the rows that are in the page. */
  shown: number[];
  beforePx: number;
  afterPx: number;
}

/** The rows of a long table that are in view. */
export function useVirtualRows(count: number): VirtualRows {
  const box = useRef<HTMLElement>(null);
  const virtual = count >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    enabled: virtual,
  });
  const items = virtual ? virtualizer.getVirtualItems() : [];
  return {
    box,
    virtual,
    shown: virtual ? items.map((item) => item.index) : Array.from({ length: count }, (_, index) => index),
    beforePx: items[0]?.start ?? 0,
    afterPx: virtual ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0,
  };
}

/** The body of a table between the room of the rows above and below the view. */
export function VirtualBody({
  rows,
  columns,
  children,
}: {
  rows: VirtualRows;
  columns: number;
  children: (index: number) => ReactNode;
}) {
  return (
    <tbody>
      {rows.beforePx > 0 && <Spacer height={rows.beforePx} columns={columns} />}
      {rows.shown.map(children)}
      {rows.afterPx > 0 && <Spacer height={rows.afterPx} columns={columns} />}
    </tbody>
  );
}

const Spacer = ({ height, columns }: { height: number; columns: number }) => (
  <tr>
    <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
  </tr>
);
