// The server as the extension starts it, with the client libraries of Visual Studio Code, but without the editor.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import protocol from "vscode-languageserver-protocol/node.js";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = protocol;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = process.env.OLMAP ?? join(root, "target/debug/olmap");

let folder;
let server;
let connection;
let uri;
let text;
let published = Promise.resolve();
let capabilities;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "olmap-vscode-"));
  await cp(join(root, "demo/catalog/granary-operator"), join(folder, "catalog/granary-operator"), { recursive: true });
  const path = join(folder, "catalog/granary-operator/catalog.yaml");
  uri = pathToFileURL(path).href;
  text = await readFile(path, "utf8");
  server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve, reject) => server.once("spawn", resolve).once("error", reject));
  connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  published = new Promise((resolve) => {
    connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
      if (params.uri === uri) {
        resolve(params);
      }
    });
  });
  connection.listen();
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "test" }],
    capabilities: {
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
      textDocument: { publishDiagnostics: { tagSupport: { valueSet: [1, 2] } } },
    },
  });
  capabilities = answer.capabilities;
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "yaml", version: 1, text },
  });
});

after(async () => {
  await connection.sendRequest(protocol.ShutdownRequest.type);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
  await rm(folder, { recursive: true });
});

/** Returns the position of the first occurrence of a text. */
function positionOf(wanted) {
  const lines = text.slice(0, text.indexOf(wanted)).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
}

test("the server offers what the extension shows", () => {
  for (const provider of [
    "hoverProvider",
    "completionProvider",
    "inlayHintProvider",
    "codeActionProvider",
    "workspaceSymbolProvider",
    "renameProvider",
    "documentLinkProvider",
  ]) {
    assert.ok(capabilities[provider], provider);
  }
  assert.ok(capabilities.codeActionProvider.codeActionKinds.includes("source.fixAll.olmap"));
});

test("findings are published for the opened version", async () => {
  const { diagnostics, version } = await published;
  assert.equal(version, 1);
  assert.ok(diagnostics.some((diagnostic) => diagnostic.code === "stuck" && diagnostic.source === "olmap"));
});

test("inlay hints are those of the visible lines", async () => {
  const line = positionOf("- name: granary-operator.v3.1.0").line;
  const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
  const params = { textDocument: { uri }, range };
  const hints = await connection.sendRequest(protocol.InlayHintRequest.type, params);
  assert.deepEqual(hints.map((hint) => hint.label), ["→ 3.1.1"]);
});

test("actions fix, accept and refactor", async () => {
  await published;
  const position = positionOf("granary-operator.v2.6.4");
  const range = { start: position, end: position };
  const params = { textDocument: { uri }, range, context: { diagnostics: [] } };
  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, params);
  for (const [kind, title] of [
    ["quickfix", /^Fix stuck: /],
    ["quickfix", /^Accept stuck .* in baseline\.yaml$/],
    ["refactor", /^Release granary-operator\.v2\.6\.4 to /],
    ["refactor", /^Deprecate granary-operator\.v2\.6\.4$/],
  ]) {
    const found = actions.find((action) => action.kind === kind && title.test(action.title));
    assert.ok(found?.edit.documentChanges.length > 0, `${title} in ${actions.map((action) => action.title)}`);
  }
});

test("symbols are found, and the home of a document is known", async () => {
  const found = await connection.sendRequest(protocol.WorkspaceSymbolRequest.type, { query: "granary v3.1.1" });
  assert.deepEqual(found, []);
  const symbols = await connection.sendRequest(protocol.WorkspaceSymbolRequest.type, { query: "v3.1.1" });
  assert.equal(symbols[0].name, "granary-operator.v3.1.1");
  const home = await connection.sendRequest("olmap/home", { textDocument: { uri } });
  assert.equal(home.kind, "catalog");
  assert.equal(await realpath(home.path), await realpath(join(folder, "catalog")));
  assert.equal(await connection.sendRequest("olmap/home", { textDocument: { uri: "file:///no.yaml" } }), null);
});
