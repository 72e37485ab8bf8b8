import { NodeFS } from "@electric-sql/pglite/nodefs"
import { Predicate } from "effect"
import * as Fs from "node:fs"

interface Node {
  readonly name: string
  readonly parent: Node
}

interface OpenFile {
  readonly nfd: number
  readonly node: Node
}

interface Operations {
  fsync?: (file: OpenFile) => number
  write: (file: OpenFile, ...rest: ReadonlyArray<unknown>) => number
}

interface Nodes {
  mknod: (parent: Node, name: string, ...rest: ReadonlyArray<unknown>) => Node
}

/** Where a node's name is kept. */
interface Names {
  readonly lookupNode: (parent: Node, name: string) => Node
  readonly destroyNode: (node: Node) => void
}

/** WASI's numbers: what PostgreSQL reads in `errno`. */
const errno = { ENOSPC: 51, EIO: 29 }

/** How a segment of the write-ahead log is called; files in preparation have other names. */
const segmentName = /^[0-9A-F]{24}$/

/**
 * Removes the node of a file that could not be created (no descriptor left, no room for its inode). As shipped, it
 * keeps its name: PostgreSQL, which closes other files and tries again, then can neither create the file nor open it.
 */
const forgetUnmade = (nodes: Nodes, names: Names): void => {
  const mknod = nodes.mknod
  nodes.mknod = (parent, name, ...rest) => {
    let node: Node | undefined
    try {
      node = mknod(parent, name, ...rest)
      return node
    } finally {
      if (node === undefined) names.destroyNode(names.lookupNode(parent, name))
    }
  }
}

/**
 * PGlite's directory on disk, with the fsync that it lacks: as shipped, a commit that PostgreSQL has synced is in the
 * page cache only (electric-sql/pglite#1107). The hook must be there before PostgreSQL starts, or `pg_control` is never
 * synced. It is called only without `-F` and with `wal_sync_method=fsync`: `fdatasync`, the default, goes to a no-op of
 * the build that cannot be hooked.
 */
export class DurableFs extends NodeFS {
  /** Successful fsyncs since the start. */
  fsyncs = 0
  private readonly onSegment: () => void

  /** `onSegment` is called for each segment (16 MiB) of the write-ahead log that is begun. */
  constructor(directory: string, onSegment: () => void) {
    super(directory)
    this.onSegment = onSegment
  }

  override async init(...[db, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(db, options)
    const preRun = emscriptenOpts.preRun ?? []
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          (module) => {
            this.hook(module.NODEFS.stream_ops)
            forgetUnmade(module.NODEFS.node_ops, module.FS)
          },
          ...preRun
        ]
      }
    }
  }

  /** Answers with an error number of WASI, at which PostgreSQL panics: a failed fsync must not be tried again. */
  protected sync(file: OpenFile): number {
    try {
      Fs.fsyncSync(file.nfd)
      this.fsyncs++
      return 0
    } catch (cause) {
      return Predicate.hasProperty(cause, "code") && cause.code === "ENOSPC" ? errno.ENOSPC : errno.EIO
    }
  }

  private hook(operations: Operations): void {
    const write = operations.write
    let segment = ""
    operations.fsync = (file) => this.sync(file)
    operations.write = (file, ...rest) => {
      if (file.node.parent.name === "pg_wal" && file.node.name !== segment && segmentName.test(file.node.name)) {
        if (segment !== "") this.onSegment()
        segment = file.node.name
      }
      return write(file, ...rest)
    }
  }
}
