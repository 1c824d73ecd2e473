import { type ReactNode, useRef, useState } from "react";
import { download, figureToPng, figureToSvg, toCsv } from "../figures/export";
import { Command } from "./Copy";
import { ScrollRegion } from "./ScrollRegion";
import { useWidth } from "./useWidth";

/** A figure's numbers: a name a column, and rows. */
export interface NumberTable {
  columns: string[];
  rows: (string | number | null)[][];
}

interface Props {
  /** Name of exported files, without ending. */
  file: string;
  title?: ReactNode;
  caption?: ReactNode;
  /** The figure's numbers, for the table under it and the CSV export. */
  table: NumberTable;
  /** False for what is not one drawing: it has no SVG or PNG. */
  drawing?: boolean;
  /** The command that draws it for a paper. */
  command?: string | undefined;
  children: (width: number) => ReactNode;
}

/** A figure at the width of its place, with its exports and its numbers as a table. */
export function FigureFrame({ file, title, caption, table, drawing = true, command, children }: Props) {
  const [box, width] = useWidth<HTMLDivElement>(640);
  const figure = useRef<HTMLElement>(null);
  const [failure, setFailure] = useState("");
  const [paper, setPaper] = useState(false);
  const save = async (ending: string, make: (svg: SVGSVGElement) => string | Promise<Blob>, type: string) => {
    const svg = figure.current?.querySelector<SVGSVGElement>("svg.fig");
    if (!svg) return;
    try {
      download(`${file}.${ending}`, await make(svg), type);
      setFailure("");
    } catch (error) {
      setFailure(`The export failed: ${(error as Error).message}`);
    }
  };
  return (
    <figure ref={figure}>
      {title && <h2 className="ft-h">{title}</h2>}
      <div
        ref={box}
        className="fig-box"
        // Row labels of a figure that is wider than its place follow, by their style.
        onScroll={({ currentTarget }) => currentTarget.style.setProperty("--scrolled", `${currentTarget.scrollLeft}px`)}
      >
        {children(width)}
      </div>
      {caption && <figcaption>{caption}</figcaption>}
      <div className="fig-tools no-print">
        {drawing && (
          <>
            <button type="button" onClick={() => void save("svg", figureToSvg, "image/svg+xml")}>
              SVG
            </button>
            <button type="button" onClick={() => void save("png", figureToPng, "image/png")}>
              PNG
            </button>
          </>
        )}
        <button
          type="button"
          onClick={() => download(`${file}.csv`, toCsv([table.columns, ...table.rows]), "text/csv")}
        >
          CSV
        </button>
        {command && (
          <button type="button" aria-expanded={paper} onClick={() => setPaper(!paper)}>
            PDF for a paper
          </button>
        )}
        {failure && <span className="error-text">{failure}</span>}
      </div>
      {command && paper && (
        <div className="no-print">
          <Command>{command}</Command>
        </div>
      )}
      <details className="no-print">
        <summary className="quiet">Numbers of this figure</summary>
        <NumbersTable table={table} />
      </details>
    </figure>
  );
}

function NumbersTable({ table }: { table: NumberTable }) {
  return (
    <ScrollRegion label="Numbers of this figure" className="fig-table">
      <table className="grid">
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, 500).map((row) => (
            <tr key={row.join(" ")}>
              {row.map((value, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other identity
                <td key={index} className={typeof value === "number" ? "r" : undefined}>
                  {value ?? "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > 500 && (
        <p className="quiet">
          The first 500 of {table.rows.length.toLocaleString("en-US")} rows; the CSV file has all.
        </p>
      )}
    </ScrollRegion>
  );
}
