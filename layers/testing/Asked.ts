import type { Process } from "#layers/testing/Loop.ts"
import * as Store from "#layers/testing/Store.ts"
import type { Advance, Advanced, Expansions } from "#src/delivery/expansion/Expansions.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import { Exit } from "effect"

/** A node's `Expansions`, asked over the simulated network. Notes a commit for each step and each message it made. */
export const expansions = (
  store: Store.Store,
  asker: Process,
  stored: Expansions["Service"],
  handover: Handover["Service"]
): Expansions["Service"] => {
  const { announce, ask, note, row } = store
  const writer = { node: asker.name, kind: "page", attempt: undefined, event: undefined } as const

  const isNew = ({ scope }: Advance["expansion"]) => ({ id }: { readonly id: Parameters<typeof row>[1] }) =>
    row(scope, id) === undefined

  const advance = (step: Advance, answer: () => Exit.Exit<Advanced, unknown>) => {
    const { dueAt, expansion: { id: messageId, scope, shard }, intents = [], owner: epoch, page } = step
    const made = (page?.members ?? []).filter(isNew(step.expansion))
    const exit = answer()
    const result = Exit.isFailure(exit) || exit.value._tag === "Passed" ? "Refused" as const : exit.value._tag
    const stands = { status: undefined, dueAt: dueAt ?? undefined }
    const commit = note({ ...writer, scope, messageId, shard, epoch, result }, stands, stands)
    if (result === "Written") {
      const begun = new Map(intents.map((intent) => [intent.message.id, intent] as const))
      const wasBegun = Exit.isSuccess(exit) && exit.value._tag === "Written" ? exit.value.intents : new Map()
      for (const { id, shard } of made) {
        const place = { node: asker.name, scope, messageId: id, shard, result }
        const after = row(scope, id)
        const intent = wasBegun.has(id) ? begun.get(id) : undefined
        const asMade = intent === undefined ? after : page?.common
        note({ ...writer, ...place, epoch: undefined }, undefined, asMade)
        if (intent !== undefined) note({ ...place, ...Store.told(intent), kind: "step" }, asMade, after)
      }
      announce(made.flatMap(({ shard }) => handover.owns(shard) ? [] : [shard]))
    }
    return commit
  }

  return {
    open: (...args) => ask(asker, stored.open(...args)),
    advance: (step) =>
      ask(asker, stored.advance(step), (answer) => {
        let exit: ReturnType<typeof answer> | undefined
        const commit = advance(step, () => exit = answer())
        return [exit ?? answer(), commit]
      }),
    isBacklogged: (...args) => ask(asker, stored.isBacklogged(...args)),
    find: stored.find,
    resume: stored.resume
  }
}
