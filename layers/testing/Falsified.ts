import type { Faults } from "#layers/testing/Faults.ts"
import type { History } from "#layers/testing/History.ts"
import { faultOf, timeline } from "#layers/testing/Timeline.ts"
import { Inspectable, Schema } from "effect"

const foreign = "the property uses time or chance that is not its world's, or a variable that outlives its world"

const fields = {
  seed: Schema.Int,
  complaints: Schema.Array(Schema.String),
  /** The faults that were injected into that world. */
  faults: Schema.Array(Schema.String),
  /** How fewer of them break the property too, in a sentence; `undefined`: none could be left out. */
  enough: Schema.UndefinedOr(Schema.String),
  /**
   * Whether a second run of the seed had the same history and complaints. If not, the story uses time or chance of its
   * own, or a variable that outlives its world.
   */
  replays: Schema.Boolean,
  /** What happened in its world, with the fewest faults: `timeline`, as far as it is not too long. */
  happened: Schema.Array(Schema.String)
}

/** A seed whose world breaks a property. */
export class Falsified extends Schema.TaggedError<Falsified>()("Falsified", fields) {
  constructor(said: Schema.Struct<typeof fields>["Type"]) {
    super(said)
    // Below the sentences of an error that nobody catches, Node prints its fields: all would be said twice.
    for (const name of Object.keys(this)) Object.defineProperty(this, name, { enumerable: false })
  }

  override get message(): string {
    const faults = this.faults.length === 0 ? [] : [`Faults in its world: ${this.faults.join(", ")}`]
    const replay = this.replays
      ? `Replay it alone: the same command with SEED=${this.seed}`
      : `SEED=${this.seed} may not replay it: ${foreign}`
    return [
      `Seed ${this.seed} breaks the property`,
      ...this.complaints.map((line) => `  ${line}`),
      ...faults,
      ...(this.enough === undefined ? [] : [this.enough]),
      ...this.happened,
      replay
    ].join("\n")
  }

  /** As `node:test` shows it: the sentences, not the fields alone. */
  override [Inspectable.NodeInspectSymbol](): string {
    return this.stack ?? this.message
  }
}

/** The faults of a world, in words. */
export const faultsOf = ({ incidents }: History): ReadonlyArray<string> =>
  incidents.flatMap((incident) => incident.kind === "move" ? [] : [`${faultOf(incident)} at ${incident.at} ms`])

const numbersOf = ({ incidents }: History): ReadonlyArray<number> => incidents.flatMap(({ drawn }) => drawn ?? [])

/**
 * Leaves faults out for as long as the property still breaks: first all, then lost answers and moves, then one after
 * the other. `live` lives the world again with these faults; `undefined`: it does not break the property then.
 */
export const fewest = (
  asked: Faults,
  broken: History,
  live: (faults: Faults) => History | undefined
): { readonly faults: Faults; readonly history: History } => {
  let least = { faults: asked, history: broken }
  const without = (faults: Faults): boolean => {
    const history = live(faults)
    if (history === undefined) return false
    least = { faults, history }
    return true
  }
  const drawn = [...new Set(numbersOf(broken))]
  if (faultsOf(broken).length === 0) return least
  if (without({ ...asked, only: [], lostAnswers: 0, moves: 0 })) return least
  without({ ...asked, only: drawn, lostAnswers: 0, moves: 0 })
  for (const number of drawn) {
    const { only = drawn } = least.faults
    without({ ...least.faults, only: only.filter((one) => one !== number) })
  }
  return least
}

/** Which faults are enough, and how to live that world; `undefined` if none could be left out of the `broken` one's. */
export const enough = (
  asked: Faults,
  broken: History,
  { faults, history }: ReturnType<typeof fewest>
): string | undefined => {
  const left = faultsOf(history)
  if (faults === asked || left.length === faultsOf(broken).length) return undefined
  if (left.length === 0) return "It breaks without any fault, too: options.faults of Faults.none"
  const quiet = faults.lostAnswers === 0 && asked.lostAnswers > 0 ? ", lostAnswers: 0" : ""
  return `These are enough: ${left.join(", ")} (options.faults of only: [${numbersOf(history).join(", ")}]${quiet})`
}

/** A longer story is cut short, after so many lines. */
const most = 40

/** What happened, in as many lines as one may read in an error. */
export const told = (history: History): ReadonlyArray<string> => {
  const lines = timeline(history)
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most), `          … and ${lines.length - most} lines more: Simulation.timeline of the history`]
}
