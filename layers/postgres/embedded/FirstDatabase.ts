import { MemoryFS, PGlite } from "@electric-sql/pglite"
import * as Fs from "node:fs"
import { join } from "node:path"

/** PGlite's directory in memory, written to disk once PostgreSQL has shut down. */
class WrittenAtClose extends MemoryFS {
  private readonly directory: string

  constructor(directory: string) {
    super()
    this.directory = directory
  }

  override async closeFs(): Promise<void> {
    this.write(PGlite.paths.PGDATA, this.directory)
    await super.closeFs()
  }

  private write(from: string, to: string): void {
    const files = this.pg?.Module.FS
    if (files === undefined) return
    Fs.mkdirSync(to, { mode: 0o700 })
    for (const name of files.readdir(from)) {
      if (name === "." || name === "..") continue
      const [source, target] = [`${from}/${name}`, join(to, name)]
      if (files.isDir(files.lstat(source).mode)) this.write(source, target)
      else Fs.writeFileSync(target, files.readFile(source), { mode: 0o600 })
    }
  }
}

/**
 * Makes an empty database in a directory that does not exist yet: in memory first, because PGlite's `initdb` on disk
 * takes three times as long.
 */
export const write = async (directory: string): Promise<void> => {
  const db = await PGlite.create({ fs: new WrittenAtClose(directory) })
  await db.close()
}
