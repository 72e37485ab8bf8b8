import type { History } from "#layers/testing/History.ts"
import * as Accepted from "./checker/Accepted.ts"
import * as AsSaid from "./checker/AsSaid.ts"
import * as Configurations from "./checker/Configurations.ts"
import * as Deadlines from "./checker/Deadlines.ts"
import * as Drains from "./checker/Drains.ts"
import * as Facts from "./checker/Facts.ts"
import * as Handovers from "./checker/Handovers.ts"
import * as Hands from "./checker/Hands.ts"
import * as Jobs from "./checker/Jobs.ts"
import * as Lateness from "./checker/Lateness.ts"
import * as Leaks from "./checker/Leaks.ts"
import * as Limits from "./checker/Limits.ts"
import * as Lists from "./checker/Lists.ts"
import * as Passwords from "./checker/Passwords.ts"
import * as Preferences from "./checker/Preferences.ts"
import * as Replays from "./checker/Replays.ts"
import * as Resends from "./checker/Resends.ts"
import * as Routes from "./checker/Routes.ts"
import * as Statuses from "./checker/Statuses.ts"
import * as Tellings from "./checker/Tellings.ts"
import * as TellingTimes from "./checker/TellingTimes.ts"
import * as Templates from "./checker/Templates.ts"
import * as Times from "./checker/Times.ts"
import * as Told from "./checker/Told.ts"

const checks: ReadonlyArray<(facts: Facts.Facts) => ReadonlyArray<string>> = [
  Leaks.unbroken,
  Accepted.nothingLost,
  Accepted.nothingInvented,
  AsSaid.words,
  AsSaid.recipients,
  Handovers.boundedCopies,
  Handovers.noKnownCopies,
  Handovers.tokens,
  Handovers.intentFirst,
  Accepted.oncePerKey,
  Times.inOrder,
  Statuses.legalEdges,
  Statuses.noLies,
  Statuses.noStaleEffects,
  Statuses.noNeedlessFence,
  Drains.nothingBegun,
  Times.nothingRots,
  Times.notEarly,
  Handovers.ownEnvironment,
  Leaks.noSecrets,
  Leaks.nothingLeft,
  Handovers.notUnwanted,
  Routes.routed,
  Routes.wholeWay,
  Routes.notHasty,
  Routes.oneStory,
  Preferences.heeded,
  Preferences.asked,
  Lists.eachOnce,
  Jobs.eachUserOnce,
  Jobs.numbers,
  Jobs.oncePerKey,
  Replays.nothingLost,
  Replays.forGoodReason,
  Replays.notForEver,
  Templates.current,
  Configurations.current,
  Resends.anew,
  Passwords.held,
  Limits.keptWithin,
  Limits.notForNothing,
  Lateness.punctual,
  Lateness.noLonger,
  Lateness.noLongerDelayed,
  Told.kept,
  Told.notMadeUp,
  Told.cancelled,
  Hands.oneByOne,
  Tellings.told,
  Tellings.published,
  Tellings.notMadeUp,
  Tellings.ids,
  Tellings.signed,
  TellingTimes.unhurried,
  TellingTimes.punctual,
  Deadlines.inTime,
  Deadlines.notGivenUp
]

/** What is wrong with a history, by the invariants I1 to I33; nothing, if the engine kept them. */
export const complaints = (history: History): ReadonlyArray<string> => {
  const facts = Facts.make(history)
  return checks.flatMap((check) => check(facts))
}
