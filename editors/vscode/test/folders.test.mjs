import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";

import { TemporaryFolders } from "../dist/folders.mjs";

test("temporary folders are private, and deleted with their reports", async () => {
  const folders = new TemporaryFolders();
  const [one, other] = [await folders.create(), await folders.create()];
  assert.notEqual(one, other);
  assert.equal((await stat(one)).mode & 0o077, 0);
  await writeFile(join(one, "report.html"), "page");
  folders.removeAll();
  assert.ok(!existsSync(one) && !existsSync(other));
  folders.removeAll();
});
