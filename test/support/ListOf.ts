import { Members } from "#src/people/Members.ts"
import { Effect } from "effect"

/** So many members of every group that is named. */
export const people = (count: number): Members["Service"] =>
  Members.of({
    page: (_scope, _source, { after, limit }) =>
      Effect.sync(() => {
        const from = after === undefined ? 0 : Number(after.userId.slice(1))
        return Array.from(
          { length: Math.max(0, Math.min(limit, count - from)) },
          (_, n) => ({ group: "all", userId: `u${from + n + 1}`, listId: "all" })
        )
      }),
    exists: () => Effect.succeed(true)
  })
