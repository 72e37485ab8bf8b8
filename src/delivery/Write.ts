import type { Journal, Step, StepResult } from "#src/delivery/Journal.ts"
import { Duration, Effect, Schedule } from "effect"

/** Writes a step of a message; waits out an unavailable store, so an outcome once known is not lost while its owner lives. */
export type Write = (step: Step) => Effect.Effect<StepResult>

/** 50 ms doubling to 2 s, for as long as it takes (reliability.md 2.6). */
export const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced(Duration.seconds(2))])

/** A row that the database refuses is a bug of ours: a defect, which becomes that message's settle. */
export const make = (journal: Journal["Service"]): Write => (step) =>
  journal.record(step).pipe(
    Effect.retry({ schedule: patience, while: (error) => error._tag === "StoreUnavailable" }),
    Effect.orDie
  )
