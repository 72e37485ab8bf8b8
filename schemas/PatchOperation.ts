import { Schema } from "effect"

/** JSON Pointers (RFC 6901); a missing leading slash is tolerated (api.md, PATCH /profiles). */
const path = Schema.String

/** One operation of a JSON Patch (RFC 6902). */
export const PatchOperation = Schema.Union([
  Schema.Struct({ op: Schema.Literals(["add", "replace", "test"]), path, value: Schema.Json }),
  Schema.Struct({ op: Schema.Literal("remove"), path }),
  Schema.Struct({ op: Schema.Literals(["move", "copy"]), from: path, path })
])
export type PatchOperation = typeof PatchOperation.Type
