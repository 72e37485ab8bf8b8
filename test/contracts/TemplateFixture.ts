import type { KeyState } from "#schemas/Scope.ts"
import type { Template } from "#schemas/Template.ts"
import { Templates } from "#src/content/Templates.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect } from "effect"

export const template = (name: string, more: Partial<Template> = {}): Template => ({
  name,
  tags: ["one"],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: "2022-01-01", elements: [{ type: "text", content: name, id: "el_1" }] },
  ...more
})

export const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const templates = yield* Templates
  const draft = (name: string, more: Partial<Template> = {}) => ({
    template: template(name, more),
    alias: undefined,
    publish: false
  })
  const make = (name: string, alias?: string, publish = false) =>
    templates.create(scope, { template: template(name), alias, publish })
  /** The name of what a send would render, or the refusal. */
  const rendered = (name: string, keyState: KeyState) =>
    templates.resolve(scope, name, keyState).pipe(
      Effect.map(({ template }) => template.name),
      Effect.catch((error) => Effect.succeed(error._tag))
    )
  const both = (name: string) => Effect.all([rendered(name, "published"), rendered(name, "draft")])
  const catalogue = yield* PreferenceCatalogue
  const topic = Effect.gen(function*() {
    const section = yield* catalogue.createSection(scope, { name: "s" })
    const made = yield* catalogue.createTopic(scope, section.id, { name: "t", default_status: "OPTED_IN" })
    return made.id
  })
  return { scope, templates, draft, make, rendered, both, topic }
})

export const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
