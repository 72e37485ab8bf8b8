import type { Facts } from "./Facts.ts"

const canary = "canary"
const crashed = /crashed|could not be (?:written|processed)|does not decode/

/** I10: no address and no word of a message in logs, answers and timelines. */
export const noSecrets = ({ history }: Facts): ReadonlyArray<string> => [
  ...history.logs.filter(({ text }) => text.includes(canary)).map(({ text }) => `I10: logged: ${text}`),
  ...history.requests.flatMap(({ tries }) =>
    tries.filter(({ body }) => body?.includes(canary)).map(({ body }) => `I10: answered: ${body}`)
  ),
  // Users who were not added are told with what was said of them.
  ...history.bulkJobs.flatMap(({ tries: { create, run } }) =>
    [...create, ...run].filter(({ body }) => body?.includes(canary)).map(({ body }) => `I10: answered: ${body}`)
  ),
  ...history.messages.flatMap(({ error, history, id }) =>
    // What was rendered is there to be shown; it is not part of the line.
    JSON.stringify([error, history.flatMap(({ events }) => events.map(({ output: _, ...line }) => line))]).includes(
        canary
      )
      ? [`I10: the timeline of ${id} holds an address or its words`]
      : []
  )
]

/** I11: after an orderly stop nothing is left running, waiting or in hand. */
export const nothingLeft = ({ history }: Facts): ReadonlyArray<string> =>
  history.leftovers.flatMap(({ held, node, pending }) =>
    held === 0 && pending === 0 ? [] : [`I11: ${node} stopped with ${held} messages in hand and ${pending} waits`]
  )

/** Nothing in the engine breaks, whatever happens around it. */
export const unbroken = ({ history }: Facts): ReadonlyArray<string> => [
  ...(history.failure === undefined ? [] : [`the story broke off: ${history.failure}`]),
  ...(history.drained ? [] : ["I1: not everything that was accepted came to an end"]),
  ...history.logs.filter(({ level, text }) => level === "Fatal" || crashed.test(text)).map(({ text }) =>
    `broken: ${text}`
  )
]
