import type { Caller } from "#test/support/Caller.ts"
import { setTimeout as sleep } from "node:timers/promises"

/** Waits until the API lists no message that still has a step to take; says so when one stays for `patience` ms. */
export const untilClosed = async (caller: Caller | undefined, patience: number): Promise<void> => {
  let last = ""
  for (const began = performance.now(); performance.now() - began < patience; await sleep(100)) {
    const answer = await caller?.call("GET", "/messages?status=ENQUEUED,ROUTED,DELAYED&limit=1")
    last = `${answer?.status} ${answer?.body}`
    if (answer?.status !== 200) continue
    const { results }: { readonly results: ReadonlyArray<unknown> } = JSON.parse(answer.body)
    if (results.length === 0) return
  }
  throw new Error(`messages stay open: ${last}`)
}
