import * as DirectoryLock from "#layers/postgres/embedded/DirectoryLock.ts"
import * as Directories from "#test/layers/postgres/embedded/Directories.ts"
import * as Processes from "#test/layers/postgres/embedded/Processes.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import fs, { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"

const refusal =
  /^(\d+) ms: .*data directory (\S+) is in use by process (\d+) \((.*)\); stop it or set TIDINGS_DATA_DIR$/

/** What happens in another process just before ours moves its first file. */
const beforeRename = (happens: () => void) => {
  const put = (rename: typeof renameSync) => {
    fs.renameSync = rename
    syncBuiltinESMExports()
  }
  const rename = fs.renameSync
  const restore = Effect.sync(() => put(rename))
  const plant = Effect.sync(() =>
    put((from, to) => {
      put(rename)
      happens()
      rename(from, to)
    })
  )
  return Effect.acquireRelease(plant, () => restore)
}

const deadPid = Effect.sync(() => spawnSync(process.execPath, ["--version"]).pid)

describe("DirectoryLock", () => {
  it.live(
    "of processes on one directory the second is refused within a second, by the first one's pid; kill -9 frees it",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.empty
        const first = yield* Processes.run("node", "hold", directory, "process")
        assert.strictEqual(yield* first.line, "ready")
        for (const runtime of ["node", "deno"] as const) {
          const second = yield* Processes.run(runtime, "smoke", directory, "process")
          const [, millis, where, pid] = refusal.exec(yield* second.line) ?? []
          assert.deepStrictEqual([where, pid], [directory, String(first.pid)])
          assert.isBelow(Number(millis), 1000)
        }
        yield* first.kill
        const next = yield* Processes.run("deno", "hold", directory, "process")
        assert.strictEqual(yield* next.line, "ready")
        const last = yield* Processes.run("node", "smoke", directory, "process")
        assert.strictEqual(refusal.exec(yield* last.line)?.[3], String(next.pid))
      }),
    60_000
  )

  for (
    const [how, acquire] of [["socket", DirectoryLock.acquireBySocket], ["file", DirectoryLock.acquireByFile]] as const
  ) {
    describe(`by ${how}`, () => {
      it.live("of many at once exactly one has the directory, and it leaves nothing behind", () =>
        Effect.gen(function*() {
          const directory = yield* Directories.empty
          for (let round = 0; round < 5; round++) {
            yield* Effect.scoped(Effect.gen(function*() {
              const all = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(acquire(directory)), {
                concurrency: 8
              })
              assert.lengthOf(all.filter(Exit.isSuccess), 1)
              const error = yield* Effect.flip(acquire(directory))
              assert.include(error.message, `in use by process ${process.pid} (`)
            }))
            assert.deepStrictEqual(readdirSync(directory), [])
          }
        }))

      it.live("a directory that is not there cannot be used; nobody has it", () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(acquire(join(yield* Directories.empty, "none")))
          assert.strictEqual(error._tag, "DataDirectoryUnusable")
        }))

      it.live("two directories have an owner each", () =>
        Effect.gen(function*() {
          yield* acquire(yield* Directories.empty)
          yield* acquire(yield* Directories.empty)
        }))

      it.live("what a dead process left is no obstacle", () =>
        Effect.gen(function*() {
          const directory = yield* Directories.empty
          writeFileSync(join(directory, "owner.json"), JSON.stringify({ pid: yield* deadPid, command: "gone" }))
          const all = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(acquire(directory)), {
            concurrency: 8
          })
          assert.lengthOf(all.filter(Exit.isSuccess), 1)
          assert.include((yield* Effect.flip(acquire(directory))).message, `process ${process.pid} (`)
          assert.deepStrictEqual(readdirSync(directory), ["owner.json"])
        }))
    })
  }

  it.live("by socket: a directory that was moved while its owner runs is still its owner's", () =>
    Effect.gen(function*() {
      const parent = yield* Directories.empty
      const [here, there] = [join(parent, "here"), join(parent, "there")]
      mkdirSync(here)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* DirectoryLock.acquireBySocket(here)
        renameSync(here, there)
        const error = yield* Effect.flip(Effect.scoped(DirectoryLock.acquireBySocket(there)))
        assert.include(error.message, `${there} is in use by process ${process.pid} (`)
      }))
      yield* Effect.scoped(DirectoryLock.acquireBySocket(there))
    }))

  it.effect("by socket: an owner that is about to describe itself is waited for, and not taken for the dead one before it", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const describe = (pid: number, command: string) =>
        writeFileSync(join(directory, "owner.json"), JSON.stringify({ pid, command }))
      yield* DirectoryLock.acquireBySocket(directory)
      describe(yield* deadPid, "gone")
      const refused = yield* Effect.forkChild(Effect.flip(DirectoryLock.acquireBySocket(directory)))
      const later = Effect.andThen(TestClock.adjust("20 millis"), Effect.promise(() => setImmediate()))
      yield* later
      describe(process.pid, "the new one")
      const error = yield* Effect.raceFirst(Fiber.join(refused), Effect.forever(later))
      assert.include(error.message, `in use by process ${process.pid} (the new one)`)
    }))

  it.live("by file: a live owner is never robbed, and its file is not touched", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const file = join(directory, "owner.json")
      writeFileSync(file, JSON.stringify({ pid: process.ppid, command: "somebody" }))
      const { ctimeNs } = statSync(file, { bigint: true })
      const error = yield* Effect.flip(DirectoryLock.acquireByFile(directory))
      assert.strictEqual(error._tag, "DataDirectoryInUse")
      assert.include(error.message, `in use by process ${process.ppid} (somebody)`)
      assert.strictEqual(statSync(file, { bigint: true }).ctimeNs, ctimeNs)
    }))

  it.live("by file: an owner that cleared away the dead one a moment before us is not robbed", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const file = join(directory, "owner.json")
      writeFileSync(file, JSON.stringify({ pid: yield* deadPid, command: "gone" }))
      yield* beforeRename(() => writeFileSync(file, JSON.stringify({ pid: process.ppid, command: "quicker" })))
      const error = yield* Effect.flip(DirectoryLock.acquireByFile(directory))
      assert.include(error.message, `in use by process ${process.ppid} (quicker)`)
      assert.deepStrictEqual(readdirSync(directory), ["owner.json"])
    }))
})
