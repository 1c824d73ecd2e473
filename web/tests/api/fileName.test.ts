import { expect, it } from "vitest";
import { fileName } from "../../src/api/queries";

it("takes a campaign file's name from the service", () => {
  expect(fileName('attachment; filename="my-study.yaml"')).toBe("my-study.yaml");
  expect(fileName('attachment; filename="as-json.json"')).toBe("as-json.json");
  expect(fileName(null)).toBe("campaign.yaml");
});
