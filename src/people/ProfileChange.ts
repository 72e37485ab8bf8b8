import { isObject, valueAt } from "#schemas/Json.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { Profile } from "#schemas/Profile.ts"
import { PatchRefused } from "#src/people/Profiles.ts"
import { Effect, Equal, JsonPatch, JsonPointer, type Schema } from "effect"

/**
 * Limits on the work of one patch: each copy operation could double the document, and a document larger than this is
 * not a profile.
 */
const maxOperations = 1_000
const maxCopied = 100_000

/** How deep a profile may be nested: as deep as a request body (reliability.md, B1). */
const maxDepth = 64

/** Merges objects deeply. Built from entries, so that a key `__proto__` stays an ordinary key. */
const merging = (replaced: (before: Schema.Json | undefined, value: Schema.Json) => Schema.Json) => {
  const merged = (stored: Profile, change: Profile): Profile =>
    Object.fromEntries([
      ...Object.entries(stored),
      ...Object.entries(change).map(([key, value]): [string, Schema.Json] => {
        const before = Object.hasOwn(stored, key) ? stored[key] : undefined
        return [key, isObject(value) && isObject(before) ? merged(before, value) : replaced(before, value)]
      })
    ])
  return merged
}

/** Merges objects deeply; arrays and scalars are replaced. */
export const merge = merging((_, value) => value)

/** The same, but a `null` says nothing, as in the recipient of a send. */
export const overlay = merging((before, value) => value ?? before ?? null)

/** The keys of a JSON Pointer. */
const keysOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1).map(JsonPointer.unescapeToken)

const pointer = (path: string): string => path === "" || path.startsWith("/") ? path : `/${path}`

const refuse = (detail: string) => Effect.fail(new PatchRefused({ detail }))

/** Runs what may throw: an operation that does not apply, or a stack overflow on a deeply nested document. */
const attempt = <A>(evaluate: () => A) =>
  Effect.try({
    try: evaluate,
    catch: (cause) =>
      new PatchRefused({ detail: cause instanceof Error ? cause.message : "The operation does not apply." })
  })

const change = (document: Schema.Json, operation: JsonPatch.JsonPatchOperation) =>
  attempt(() => JsonPatch.apply([operation], document))

const isDeeper = (value: Schema.Json, levels: number): boolean =>
  typeof value === "object" && value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

/**
 * Effect's `JsonPatch` has only add, remove and replace; the other three operations are built from them (RFC 6902, 4.4
 * to 4.6).
 */
const apply = Effect.fnUntraced(function*(document: Schema.Json, operation: PatchOperation, copied: number) {
  const path = pointer(operation.path)
  switch (operation.op) {
    case "add":
    case "replace":
      return { document: yield* change(document, { op: operation.op, path, value: operation.value }), copied }
    case "remove":
      return { document: yield* change(document, { op: "remove", path }), copied }
    case "test": {
      const found = valueAt(document, keysOf(path))
      if (!(yield* attempt(() => Equal.equals(found, operation.value)))) {
        return yield* refuse(`The value at "${path}" is not the tested one.`)
      }
      return { document, copied }
    }
    case "move":
    case "copy": {
      const from = pointer(operation.from)
      const value = valueAt(document, keysOf(from))
      if (value === undefined) return yield* refuse(`There is nothing at "${from}".`)
      if (operation.op === "copy") {
        const total = copied + (yield* attempt(() => JSON.stringify(value))).length
        if (total > maxCopied) return yield* refuse(`The copies are larger than ${maxCopied} characters.`)
        return { document: yield* change(document, { op: "add", path, value }), copied: total }
      }
      if (path === from) return { document, copied }
      if (path.startsWith(`${from}/`)) return yield* refuse(`"${from}" cannot move into itself.`)
      const without = yield* change(document, { op: "remove", path: from })
      return { document: yield* change(without, { op: "add", path, value }), copied }
    }
  }
})

/** Applies a JSON Patch (RFC 6902) to a profile, all operations or none. */
export const patch = Effect.fnUntraced(function*(stored: Profile, operations: ReadonlyArray<PatchOperation>) {
  if (operations.length > maxOperations) return yield* refuse(`A patch has at most ${maxOperations} operations.`)
  let state: { readonly document: Schema.Json; readonly copied: number } = { document: stored, copied: 0 }
  for (const [index, operation] of operations.entries()) {
    // Each operation copies what it changes, which takes 30 ms for an object of 60,000 members: others get a turn in
    // between.
    if (index > 0) yield* Effect.yieldNow
    state = yield* apply(state.document, operation, state.copied).pipe(
      Effect.mapError(({ detail }) => new PatchRefused({ detail: `patch[${index}]: ${detail}` }))
    )
  }
  if (!isObject(state.document)) return yield* refuse("The patched profile is not an object.")
  if (isDeeper(state.document, maxDepth)) return yield* refuse(`The patched profile is nested deeper than ${maxDepth}.`)
  return state.document
})
