import { counted } from "#layers/cli/Counted.ts"
import { print } from "#layers/cli/Print.ts"
import * as Store from "#layers/cli/Store.ts"
import { endOpen } from "#layers/postgres/EndOpen.ts"
import { Console, Effect } from "effect"

const waiting = (addresses: ReadonlyArray<string>, longest: number) =>
  Console.error(
    `A node was heard of a moment ago (${addresses.join(", ")}): whether it still runs is known in ${
      longest / 1_000
    } s at most`
  )

/** Ends what is open in a store that was restored from a backup, before a server starts on it and sends it again. */
export const run = Store.withStore(() =>
  Effect.flatMap(endOpen(waiting), ({ canceled, requests, taken }) =>
    print([
      `${counted(canceled, "message")} canceled`,
      `${counted(taken, "message")} that had been taken and waited for an escalation left as they are`,
      `${counted(requests, "request")} to many set aside (tidings replay --list)`
    ].join("\n")))
)
