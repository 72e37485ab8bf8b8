import * as DirectoryLock from "#layers/postgres/embedded/DirectoryLock.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Processes from "#test/layers/postgres/embedded/Processes.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"

const refusal =
  /^(\d+) ms: .*data directory (\S+) is in use by process (\d+) \((.*)\) on (\S+); stop it or set TIDINGS_DATA_DIR$/

const deadPid = Effect.sync(() => spawnSync(process.execPath, ["--version"]).pid)

/** What makes a process a container's: its processes, its network and its host name are its own. Only root may. */
const elsewhere = "unshare --net --pid --uts --fork --kill-child --mount-proc".split(" ")
  .concat("sh", "-c", "hostname elsewhere && exec \"$@\"", "sh")
const canIsolate = spawnSync("env", [...elsewhere, "true"]).status === 0

describe("DirectoryLock", () => {
  it.live(
    "of processes on one directory the second is refused within a second, by the first one's pid; kill -9 frees it",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.empty
        const first = yield* Processes.run("node", "hold", directory, "process")
        assert.strictEqual(yield* first.line, "ready")
        for (const runtime of ["node", "deno"] as const) {
          // The fastest of at most three, since a busy machine says nothing about one.
          let fastest = Infinity
          for (let round = 0; round < 3 && fastest >= 1_000; round++) {
            const second = yield* Processes.run(runtime, "smoke", directory, "process")
            const [, millis, where, pid] = refusal.exec(yield* second.line) ?? []
            assert.deepStrictEqual([where, pid], [directory, String(first.pid)])
            fastest = Math.min(fastest, Number(millis))
          }
          assert.isBelow(fastest, 1_000)
        }
        yield* first.kill
        const next = yield* Processes.run("deno", "hold", directory, "process")
        assert.strictEqual(yield* next.line, "ready")
        const last = yield* Processes.run("node", "smoke", directory, "process")
        assert.strictEqual(refusal.exec(yield* last.line)?.[3], String(next.pid))
      }),
    120_000
  )

  it.live.skipIf(!canIsolate)(
    "of two containers that share a volume one has the directory: the other is refused by the first one's name",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.empty
        const first = yield* Processes.run("node", "hold", directory, "process")
        assert.strictEqual(yield* first.line, "ready")
        const second = yield* Processes.run("node", "smoke", directory, "process", elsewhere)
        const [, , where, pid, , host] = refusal.exec(yield* second.line) ?? []
        assert.deepStrictEqual([where, pid, host], [directory, String(first.pid), hostname()])
      }),
    120_000
  )

  it.live("of many at once exactly one has the directory, and it leaves nothing but an empty file behind", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      for (let round = 0; round < 5; round++) {
        yield* Effect.scoped(Effect.gen(function*() {
          const all = yield* Effect.forEach(
            Array.from({ length: 8 }),
            () => Effect.exit(DirectoryLock.acquire(directory)),
            {
              concurrency: 8
            }
          )
          assert.lengthOf(all.filter(Exit.isSuccess), 1)
          const error = yield* Effect.flip(DirectoryLock.acquire(directory))
          assert.include(error.message, `in use by process ${process.pid} (`)
          assert.sameMembers(readdirSync(directory), ["owner.json", "owner.lock"])
        }))
        assert.deepStrictEqual(readdirSync(directory), ["owner.lock"])
        assert.strictEqual(statSync(join(directory, "owner.lock")).size, 0)
      }
    }))

  it.live("what a dead process left is no obstacle, and is not taken for the owner", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const left = JSON.stringify({ pid: yield* deadPid, command: "gone", host: hostname() })
      writeFileSync(join(directory, "owner.json"), left)
      yield* DirectoryLock.acquire(directory)
      assert.include((yield* Effect.flip(DirectoryLock.acquire(directory))).message, `process ${process.pid} (`)
      writeFileSync(join(directory, "owner.json"), left)
      assert.include((yield* Effect.flip(DirectoryLock.acquire(directory))).message, "in use by another process;")
    }))

  it.live("two directories have an owner each", () =>
    Effect.gen(function*() {
      yield* DirectoryLock.acquire(yield* Directories.empty)
      yield* DirectoryLock.acquire(yield* Directories.empty)
    }))

  it.effect("an owner that is about to describe itself is waited for, and not taken for the dead one before it", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const describe = (pid: number, command: string) =>
        writeFileSync(join(directory, "owner.json"), JSON.stringify({ pid, command, host: hostname() }))
      yield* DirectoryLock.acquire(directory)
      describe(yield* deadPid, "gone")
      const refused = yield* Effect.forkChild(Effect.flip(DirectoryLock.acquire(directory)))
      const later = Effect.andThen(TestClock.adjust("20 millis"), Effect.promise(() => setImmediate()))
      yield* later
      describe(process.pid, "the new one")
      const error = yield* Effect.raceFirst(Fiber.join(refused), Effect.forever(later))
      assert.include(error.message, `in use by process ${process.pid} (the new one)`)
    }))

  it.live("a directory that was moved while its owner runs is still its owner's", () =>
    Effect.gen(function*() {
      const parent = yield* Directories.empty
      const [here, there] = [join(parent, "here"), join(parent, "there")]
      mkdirSync(here)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* DirectoryLock.acquire(here)
        renameSync(here, there)
        const error = yield* Effect.flip(Effect.scoped(DirectoryLock.acquire(there)))
        assert.include(error.message, `${there} is in use by process ${process.pid} (`)
      }))
      yield* Effect.scoped(DirectoryLock.acquire(there))
    }))

  it.live("a directory that takes no lock is told in a sentence", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      mkdirSync(join(directory, "owner.lock"))
      const error = yield* Effect.flip(DirectoryLock.acquire(directory))
      assert.include(error.message, `data directory ${directory} cannot be used: Error: unable to open database file`)
    }))
})
