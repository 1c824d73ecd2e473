import { Fragment } from "react";
import { AlgorithmTag } from "../../figures/marks";
import { algorithmsIn } from "./naming";

/** A run's name in running text: the algorithm, or those of its groups, each with its marker. */
export function RunTag({ name }: { name: string }) {
  return algorithmsIn(name).map((algorithm, group) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two groups can have the same algorithm
    <Fragment key={group}>
      {group > 0 && " / "}
      <AlgorithmTag name={algorithm} />
    </Fragment>
  ));
}
