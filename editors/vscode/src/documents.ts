// Recognition of documents of OLM, without the API of the editor.

/** Maximum number of characters that are searched for a schema. */
const MAX_SEARCHED = 200_000;

/** `schema: olm.channel` in YAML and JSON. */
const SCHEMA = /["']?schema["']?\s*:\s*["']?olm\./i;

/** Files of a bundle directory. */
const BUNDLE_FILE = /[\\/](manifests|metadata|tests)[\\/][^\\/]+(?:[\\/][^\\/]+)?\.(?:ya?ml|json)$/;

/** Files beside a catalog that olmap reads. */
const COMPANION = /[\\/](baseline|expectations)\.yaml$/;

/** Files of an operator repository that name its templates and catalogs. */
const OPERATOR_FILE = /[\\/]operators[\\/][^\\/]+[\\/](?:ci\.yaml|[^\\/]+[\\/]release-config\.yaml)$/;

/**
 * Returns true if a document may belong to a catalog, a template or a bundle. The language server decides; this keeps it
 * from being started for other YAML and JSON files.
 */
export function isOlmDocument(path: string, text: string): boolean {
  const isKnownFile = [BUNDLE_FILE, COMPANION, OPERATOR_FILE].some((file) => file.test(path));
  return isKnownFile || SCHEMA.test(text.slice(0, MAX_SEARCHED));
}

/** Replaces `~/` at the start of a path by the home directory. */
export function expandHome(path: string, home: string): string {
  return path.startsWith("~/") ? home + path.slice(1) : path;
}
