import { Stopped } from "#layers/cli/Server.ts"
import { Effect, type PlatformError, Predicate, Stdio, Stream } from "effect"

const isRead = ({ reason }: PlatformError.PlatformError): boolean =>
  Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "EPIPE"

/**
 * Prints one or more lines on standard output. A reader that closes early, such as `head`, is no failure; a full disk
 * is one.
 */
export const print = Effect.fnUntraced(function*(text: string): Effect.fn.Return<void, Stopped, Stdio.Stdio> {
  const { stdout } = yield* Stdio.Stdio
  yield* Stream.run(Stream.make(`${text}\n`), stdout()).pipe(
    Effect.catchIf(isRead, () => Effect.void),
    Effect.mapError(({ reason }) => {
      const why = Predicate.isError(reason.cause) ? reason.cause.message : reason._tag
      return new Stopped({ sentence: `Cannot write to standard output: ${why}`, code: 1 })
    })
  )
})
