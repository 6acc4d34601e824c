// Writes the licences of the packages that are part of the extension: dist/third-party.txt.

import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const { inputs } = JSON.parse(await readFile("dist/inputs.json", "utf8"));
const folders = new Set();
for (const input of Object.keys(inputs)) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
  if (found) {
    folders.add(found[0]);
  }
}
const parts = [];
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  if (file === undefined) {
    throw new Error(`${name} has no licence`);
  }
  parts.push(`${name} ${version} (${license})\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`);
}
await writeFile("dist/third-party.txt", parts.join(`\n${"-".repeat(80)}\n\n`));
