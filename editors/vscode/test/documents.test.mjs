import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { expandHome, isOlmDocument } from "../dist/documents.mjs";

test("documents of OLM are recognized by schema and folder", () => {
  for (const text of ["schema: olm.channel\n", '{"schema": "olm.package"}', "a: 1\n---\n'schema': 'olm.semver'\n", "Schema: olm.semver\n"]) {
    assert.ok(isOlmDocument("/a/b.yaml", text), text);
  }
  for (const path of ["/b/manifests/csv.yaml", "C:\\b\\metadata\\annotations.yaml", "/b/tests/scorecard/config.yaml"]) {
    assert.ok(isOlmDocument(path, ""), path);
  }
  assert.ok(isOlmDocument("/catalogs/baseline.yaml", "[]"));
  assert.ok(isOlmDocument("/r/operators/ship/ci.yaml", "") && isOlmDocument("/r/operators/ship/1.0.0/release-config.yaml", ""));
  assert.ok(!isOlmDocument("/r/ci.yaml", "") && !isOlmDocument("/r/operators/ship/1.0.0/other.yaml", ""));
  assert.ok(!isOlmDocument("/a/deployment.yaml", "kind: Deployment\nschema: other\n"));
});

test("home directory of a path is expanded", () => {
  assert.equal(expandHome("~/bin/olmap", "/home/me"), "/home/me/bin/olmap");
  assert.equal(expandHome("/bin/~/olmap", "/home/me"), "/bin/~/olmap");
});

test("every command of the manifest is registered", async () => {
  const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const bundle = await readFile(new URL("../dist/extension.js", import.meta.url), "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.ok(bundle.includes(`"${command.replace("olmap.", "")}"`), command);
  }
});

test("the lock file names no address of a registry", async () => {
  const lock = await readFile(new URL("../package-lock.json", import.meta.url), "utf8");
  assert.ok(!lock.includes('"resolved"'));
});
