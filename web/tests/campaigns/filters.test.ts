import { expect, it } from "vitest";
import { splitLabels } from "../../src/pages/campaigns/CampaignFilters";

it("papers are the values of the label paper, and not among the other labels", () => {
  const [papers, others] = splitLabels([
    { name: "branch=main", count: 3 },
    { name: "paper=cfi16", count: 2 },
    { name: "papers=two", count: 1 },
  ]);
  expect(papers).toEqual([{ name: "cfi16", count: 2 }]);
  expect(others.map(({ name }) => name)).toEqual(["branch=main", "papers=two"]);
});
