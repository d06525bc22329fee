import { expect, it } from "vitest";
import { checkUnpacked } from "./unpack-limit.ts";

const GIB = 2 ** 30;

it("stops what unpacks to more than 200 times its size, from 1 GiB on", () => {
  checkUnpacked("x.gz", GIB, 1, {});
  checkUnpacked("x.gz", 2 * GIB, 2 ** 24, {});
  expect(() => checkUnpacked("x.gz", GIB + 1, 2 ** 20, {})).toThrow(
    "x.gz: the file unpacks to more than 200 times its size",
  );
  checkUnpacked("x.gz", GIB + 1, 2 ** 20, { maxUnpackRatio: 2000 });
});

it("stops what unpacks to more than 64 GiB", () => {
  expect(() => checkUnpacked("x.gz", 65 * GIB, GIB, {})).toThrow("more than 64 GiB");
});
