import type { Bug } from "./Bugs.ts"

/** Bugs of bulk jobs, of templates that change, and of what is set aside: the ordinary worlds have none of these. */
export const jobs: ReadonlyArray<Bug> = [
  {
    name: "a page of a bulk job skips the user after it",
    seed: 9,
    file: "src/delivery/bulk/Page.ts",
    text: "last.position + 1",
    becomes: "last.position + 2"
  },
  {
    name: "the idempotency key of a bulk job's run is not stored",
    seed: 169,
    file: "src/delivery/bulk/Run.ts",
    text: "const key = yield* CurrentKey",
    becomes: "const key = undefined"
  },
  {
    name: "a node keeps the templates that it met first",
    seed: 63,
    file: "src/delivery/pipeline/Mapping.ts",
    text: "templates.resolve(scope, name, keyState).pipe(",
    becomes: `Effect.suspend(() => {
        const kept = templates as unknown as Record<string, Effect.Success<ReturnType<typeof templates.resolve>>>
        const known = kept[\`\${scope} \${name}\`]
        return known === undefined
          ? Effect.tap(templates.resolve(scope, name, keyState), (found) =>
            Effect.sync(() => {
              kept[\`\${scope} \${name}\`] = found
            }))
          : Effect.succeed(known)
      }).pipe(`
  },
  {
    name: "what killed its node twice is set aside",
    seed: 47,
    file: "src/delivery/shards/Tries.ts",
    text: "if (tries > Quarantine.maxTries)",
    becomes: "if (tries > 2)"
  },
  {
    name: "what kills its node is never set aside",
    seed: 47,
    file: "src/delivery/shards/Tries.ts",
    text: "if (tries > Quarantine.maxTries)",
    becomes: "if (tries > Infinity)"
  },
  {
    name: "a bulk job whose node died twice at a page is set aside",
    seed: 127,
    file: "src/delivery/expansion/Turn.ts",
    text: "if (row.tries >= maxTries)",
    becomes: "if (row.tries >= 2)"
  }
]
