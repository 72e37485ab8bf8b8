import type { Chance } from "#layers/testing/Chance.ts"
import type { Loop, Process } from "#layers/testing/Loop.ts"
import type { Node } from "#layers/testing/Node.ts"
import { Effect, type Exit } from "effect"

/**
 * What a caller learns. `NobodyThere`: there was no living node at the address. `Silence`: no answer within its
 * patience.
 */
export type Reply<A, E> =
  | { readonly _tag: "NobodyThere" }
  | { readonly _tag: "Silence" }
  | { readonly _tag: "Answer"; readonly exit: Exit.Exit<A, E> }

/** How long a caller waits for an answer, in ms. */
const patience = 8_000

/** Calls a node that the seed picks, as a load balancer would. `called` gets the node's name when it is reached. */
export const make = (options: {
  readonly loop: Loop
  readonly chance: Chance
  readonly caller: Process
  readonly nodes: () => ReadonlyArray<Node>
}) => {
  const { caller, chance, loop, nodes } = options
  return <A, E>(run: (node: Node) => Effect.Effect<A, E>, called: (node: string) => void = () => undefined) =>
    Effect.callback<Reply<A, E>>((resume) => {
      const reply = (after: number, answer: Reply<A, E>) =>
        loop.after(after, () => caller.post(() => resume(Effect.succeed(answer))))
      const [first, ...rest] = nodes()
      if (first === undefined) return reply(1, { _tag: "NobodyThere" })
      const node = chance.pick([first, ...rest])
      loop.after(chance.int(1, 5), () => {
        if (!node.process.isAlive()) return reply(1, { _tag: "NobodyThere" })
        called(node.process.name)
        reply(patience, { _tag: "Silence" })
        node.process.post(() =>
          node.process.run(run(node)).addObserver((exit) => reply(chance.int(1, 5), { _tag: "Answer", exit }))
        )
      })
    })
}

export type Remote = ReturnType<typeof make>
