import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** The threads of this process (proc(5)), which have priorities of their own on Linux alone. */
const threads = "/proc/self/task"

/** V8's own threads, as Node and Deno name them. */
const isOfV8 = (thread: string): boolean => readFileSync(`${threads}/${thread}/comm`, "utf8").startsWith("V8")

/** How much nicer (nice(2)) V8's threads are: they get a tenth of a processor that another thread wants too. */
const nicer = 10
const nicest = 19

/**
 * Lets V8's own threads stand back, which collect garbage and compile: on two processors they held up the engine's
 * thread, which everything waits for, for an eighth of its time, while the other one was idle for a fifth (bench/README.md).
 * Changes nothing where threads have no priorities.
 */
export const v8 = Effect.ignore(Effect.try(() => {
  const niceness = Math.min(getPriority() + nicer, nicest)
  for (const thread of readdirSync(threads).filter(isOfV8)) setPriority(Number(thread), niceness)
}))
