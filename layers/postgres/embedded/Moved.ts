import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import { DataDirectoryMoved, DataDirectoryUnusable } from "#layers/postgres/embedded/EmbeddedError.ts"
import { Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"

/** That what is in a data directory lives in another database now: `to` names that without a password. */
export const Mark = Schema.Struct({ id: Schema.String, to: Schema.String, at: Schema.String })
export type Mark = typeof Mark.Type

const MarkFile = Schema.fromJsonString(Mark)

/** Where the mark of a data directory is. */
export const fileIn = (directory: string): string => join(directory, "moved.json")

/** The mark of this data directory; `undefined`: its database lives here. */
export const read = (directory: string): Effect.Effect<Mark | undefined, DataDirectoryUnusable> =>
  Effect.suspend(() =>
    Fs.existsSync(fileIn(directory))
      ? Schema.decodeEffect(MarkFile)(Fs.readFileSync(fileIn(directory), "utf8"))
      : Effect.undefined
  ).pipe(Effect.mapError((cause) => new DataDirectoryUnusable({ directory, cause })))

/** Marks this data directory, whose lock the caller holds. The mark is whole, and on disk when this ends. */
export const write = Effect.fnUntraced(function*(directory: string, mark: Mark) {
  const text = yield* Effect.orDie(Schema.encodeEffect(MarkFile)(mark))
  yield* Effect.tryPromise({
    try: async () => {
      const draft = `${fileIn(directory)}.new`
      Fs.writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
      Fs.renameSync(draft, fileIn(directory))
      await DataDirectory.syncPath(directory)
    },
    catch: (cause) => new DataDirectoryUnusable({ directory, cause })
  })
})

/** The refusal of what would open the database of a data directory with this mark. */
export const refusal = (directory: string, { at, to }: Mark) =>
  new DataDirectoryMoved({ directory, at, to, file: fileIn(directory) })

/** Fails if this data directory is marked. */
export const refuse = (directory: string) =>
  Effect.flatMap(read(directory), (mark) => mark === undefined ? Effect.void : refusal(directory, mark))
