// Temporary folders that the extension deletes when it ends.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary folders of a session of the editor. */
export class TemporaryFolders {
  private readonly created: string[] = [];

  /** Creates a folder that only the user can read. */
  async create(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "olmap-"));
    this.created.push(folder);
    return folder;
  }

  /** Deletes all folders. A folder that cannot be deleted stays. The editor waits only briefly, so this is synchronous. */
  removeAll(): void {
    for (const folder of this.created.splice(0)) {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // The system deletes its temporary files some day.
      }
    }
  }
}
