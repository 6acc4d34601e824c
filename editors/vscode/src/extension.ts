// Extension that starts the language server of olmap, and opens its report and its explorer.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { expandHome, isOlmDocument } from "./documents";
import { TemporaryFolders } from "./folders";

const LANGUAGES = ["yaml", "json", "jsonc"];

/** Catalog, file or bundle directory of a document, as the server answers `olmap/home`. */
interface Home {
  kind: "catalog" | "file" | "bundle";
  path: string;
}

/** Folders of reports. */
const folders = new TemporaryFolders();

let client: LanguageClient | undefined;
let log: vscode.OutputChannel;

export function activate(context: vscode.ExtensionContext): void {
  log = vscode.window.createOutputChannel("olmap");
  const register = (name: string, run: () => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(`olmap.${name}`, run));
  register("openReport", openReport);
  register("openExplorer", openExplorer);
  register("restartServer", restartServer);
  register("showLog", async () => log.show());
  context.subscriptions.push(
    log,
    vscode.workspace.onDidOpenTextDocument(startForDocument),
    vscode.workspace.onDidChangeTextDocument((event) => startForDocument(event.document)),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("olmap.path") || event.affectsConfiguration("olmap.arguments")) {
        await restartServer();
      }
    }),
  );
  vscode.workspace.textDocuments.forEach(startForDocument);
}

export async function deactivate(): Promise<void> {
  folders.removeAll();
  await stopServer();
}

function settings(): { program: string; serverArguments: string[] } {
  const configuration = vscode.workspace.getConfiguration("olmap");
  const program = expandHome(configuration.get<string>("path") || "olmap", homedir());
  return { program, serverArguments: configuration.get<string[]>("arguments") ?? [] };
}

/** Starts the server when the first document of OLM is opened. */
function startForDocument(document: vscode.TextDocument): void {
  const isCandidate = document.uri.scheme === "file" && LANGUAGES.includes(document.languageId);
  if (client === undefined && isCandidate && isOlmDocument(document.uri.fsPath, document.getText())) {
    void startServer();
  }
}

async function startServer(): Promise<void> {
  const { program, serverArguments } = settings();
  const server: ServerOptions = { command: program, args: ["lsp", ...serverArguments] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    outputChannel: log,
  };
  client = new LanguageClient("olmap", "olmap", server, options);
  try {
    await client.start();
  } catch (error) {
    log.appendLine(`olmap cannot be started: ${String(error)}`);
    const choice = await vscode.window.showErrorMessage(
      `The program ${program} cannot be started. Install olmap, or set its path.`,
      "Open Settings",
    );
    if (choice !== undefined) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "olmap.path");
    }
  }
}

async function stopServer(): Promise<void> {
  const running = client;
  client = undefined;
  try {
    await running?.dispose();
  } catch (error) {
    log.appendLine(`olmap cannot be stopped: ${String(error)}`);
  }
}

async function restartServer(): Promise<void> {
  const wasRunning = client !== undefined;
  await stopServer();
  if (wasRunning) {
    await startServer();
  }
}

/** Returns the catalog of the document in the active editor. Tells the user if there is none. */
async function activeHome(): Promise<Home | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined && client?.isRunning()) {
    const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
    const home = await client.sendRequest<Home | null>("olmap/home", { textDocument });
    if (home !== null) {
      return home;
    }
  }
  await vscode.window.showInformationMessage("Open a file of a catalog first.");
  return undefined;
}

/**
 * Writes a report to a temporary folder, and opens it in the browser. Unsaved changes are not part of it. The folder is deleted
 * when the editor ends.
 */
async function openReport(): Promise<void> {
  const home = await activeHome();
  if (home === undefined) {
    return;
  }
  if (home.kind === "bundle") {
    await vscode.window.showInformationMessage("A bundle directory has no report. Open a file of a catalog.");
    return;
  }
  const file = join(await folders.create(), "report.html");
  const { program } = settings();
  try {
    const progress = { location: vscode.ProgressLocation.Notification, title: `Report of ${home.path}` };
    await vscode.window.withProgress(progress, () =>
      promisify(execFile)(program, ["report", "--to", file, "--", home.path]),
    );
    await vscode.env.openExternal(vscode.Uri.file(file));
  } catch (error) {
    log.appendLine(String(error));
    await vscode.window.showErrorMessage(`The report failed: ${String(error)}`);
  }
}

async function openExplorer(): Promise<void> {
  const home = await activeHome();
  if (home === undefined) {
    return;
  }
  // Without a shell, no part of a path can be a command.
  const terminal = vscode.window.createTerminal({
    name: "olmap",
    shellPath: settings().program,
    shellArgs: [home.path],
  });
  terminal.show();
}
