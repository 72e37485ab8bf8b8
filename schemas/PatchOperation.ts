import { Effect, Schema } from "effect"

/** A JSON Pointer (RFC 6901). A missing leading slash is tolerated (api.md, PATCH /profiles). */
const path = Schema.String

/** One struct for each `op`, so that a refusal names only the fields of the operation that was meant. */
const operations = <S extends Schema.Codec<Schema.Json, unknown>>(value: S) =>
  Schema.Union([
    Schema.Struct({ op: Schema.Literal("add"), path, value }),
    Schema.Struct({ op: Schema.Literal("replace"), path, value }),
    Schema.Struct({ op: Schema.Literal("test"), path, value }),
    Schema.Struct({ op: Schema.Literal("remove"), path }),
    Schema.Struct({ op: Schema.Literal("move"), from: path, path }),
    Schema.Struct({ op: Schema.Literal("copy"), from: path, path })
  ]).annotate({ message: "Expected an operation whose op is add, replace, test, remove, move or copy" })

/** One operation of a JSON Patch (RFC 6902). */
export const PatchOperation = operations(Schema.Json).annotate({ title: "PatchOperation" })
export type PatchOperation = typeof PatchOperation.Type

/** The same, with `null` for a `value` that is left out (api.md 12, PATCH /users/:id/tokens/:token). */
export const LenientPatchOperation = operations(
  Schema.Json.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
).annotate({ title: "TokenPatchOperation" })
