import type { Handover } from "#src/delivery/journal/Handover.ts"
import type { Journal } from "#src/delivery/Journal.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import type { Inbox } from "#src/reports/Inbox.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import { accepts } from "#test/contracts/JournalAccept.ts"
import { due } from "#test/contracts/JournalDue.ts"
import { handovers } from "#test/contracts/JournalHandover.ts"
import { keys } from "#test/contracts/JournalKeys.ts"
import { observations } from "#test/contracts/JournalObserve.ts"
import { owners } from "#test/contracts/JournalOwners.ts"
import { repeats } from "#test/contracts/JournalRepeats.ts"
import { steps } from "#test/contracts/JournalSteps.ts"
import { timelines } from "#test/contracts/JournalTimelines.ts"
import { together } from "#test/contracts/JournalTogether.ts"
import { turns } from "#test/contracts/JournalTurns.ts"
import { twins } from "#test/contracts/JournalTwins.ts"
import { describe, layer } from "@effect/vitest"
import type { Layer } from "effect"

/** What every journal promises; the readers beside it show what was written. */
export const journalContract = <E>(
  name: string,
  stores: Layer.Layer<Journal | MessageLog | Inbox | Profiles | Handover, E>
) =>
  layer(stores)(`Journal: ${name}`, (it) => {
    describe("accept", () => accepts(it))
    describe("hand over", () => handovers(it))
    describe("accept under a key", () => keys(it))
    describe("take", () => owners(it))
    describe("record", () => steps(it))
    describe("record again", () => repeats(it))
    describe("timelines", () => timelines(it))
    describe("observe", () => observations(it))
    describe("observeAll", () => together(it))
    describe("due", () => due(it))
    describe("due by turns", () => turns(it))
    describe("environments", () => twins(it))
  })
