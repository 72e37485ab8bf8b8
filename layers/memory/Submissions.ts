import { Database } from "#layers/memory/Database.ts"
import { nameOf, type State } from "#layers/memory/State.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as TypeId from "#src/access/TypeId.ts"
import { type Check, merged, SubmissionNotFound, Submissions } from "#src/content/Submissions.ts"
import { TemplateNotFound } from "#src/content/Templates.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

const keyOf = (scope: Scope, templateId: string, id: string): string => JSON.stringify([scope, templateId, id])

const put = (state: State, key: string, checks: ReadonlyArray<Check>): State => ({
  ...state,
  access: { ...state.access, submissions: HashMap.set(state.access.submissions, key, checks) }
})

/** The submissions in memory. */
export const layer = Layer.effect(
  Submissions,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const newId = yield* TypeId.generator("sub")

    const find = Effect.fnUntraced(function*(scope: Scope, templateId: string, id: string) {
      const found = yield* read((state) => HashMap.get(state.access.submissions, keyOf(scope, templateId, id)))
      return Option.isSome(found) ? found.value : yield* new SubmissionNotFound({ id })
    })

    return Submissions.of({
      submit: Effect.fnUntraced(function*(scope, templateId) {
        const template = yield* read((state) => HashMap.get(state.templates, nameOf(scope, templateId)))
        if (Option.isNone(template) || template.value.archived) return yield* new TemplateNotFound({ id: templateId })
        const id = yield* newId
        const now = yield* Clock.currentTimeMillis
        yield* update((state) =>
          Told.other(put(state, keyOf(scope, templateId, id), []), scope, Others.submitted(templateId, id), now)
        )
        return id
      }, transaction),
      checks: find,
      putChecks: Effect.fnUntraced(function*(scope, templateId, id, checks) {
        const after = merged(yield* find(scope, templateId, id), checks, yield* Clock.currentTimeMillis)
        yield* update((state) => put(state, keyOf(scope, templateId, id), after))
        return after
      }, transaction),
      withdraw: Effect.fnUntraced(function*(scope, templateId, id) {
        yield* find(scope, templateId, id)
        const now = yield* Clock.currentTimeMillis
        yield* update((state) => {
          const submissions = HashMap.remove(state.access.submissions, keyOf(scope, templateId, id))
          const next = { ...state, access: { ...state.access, submissions } }
          return Told.other(next, scope, Others.withdrawn(templateId, id, now), now)
        })
      }, transaction)
    })
  })
)
