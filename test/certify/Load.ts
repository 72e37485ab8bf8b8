import { requestIdOf } from "#test/crash/OpenLoop.ts"
import * as Caller from "#test/support/Caller.ts"
import { setTimeout as sleep } from "node:timers/promises"

/** What the client's own ledger says of one send. */
export interface Sent {
  readonly id: string
  /** Sends of one chain wait for each other's answer; `undefined` outside of a chain. */
  readonly chain: number | undefined
}

export interface Load {
  /** No more sends; resolves when every one under way has its answer. */
  readonly finish: () => Promise<ReadonlyArray<Sent>>
  /** Sends accepted so far. */
  readonly accepted: () => number
  /** Answers that nobody was promised: anything but 202, 503, and 409 for a key in flight. */
  readonly strange: () => ReadonlyArray<string>
  /** Resolves when so many are accepted. */
  readonly reached: (count: number) => Promise<void>
}

const chains = 8

/** Sends of a chain in a row, and the pause after them, in ms: calls of 60 ms one after the other keep up with it, however long a run is. */
const burst = 10
const pause = 1_000

/** Sends that wait for their answers at most: a server that is away, or has not the time, is not owed what nobody could send meanwhile. */
const mostWaiting = 1_000

/** A node that is killed again and again on a busy machine is there for a moment of each minute. */
const patience = 600_000

/** Asks one node after the other, with one key, until one accepts. */
const insist = async (
  callers: ReadonlyArray<Caller.Caller>,
  first: number,
  key: string,
  body: unknown,
  strange: Array<string>
): Promise<string> => {
  for (let n = first, began = performance.now(); performance.now() - began < patience; n++) {
    const answer = await callers[n % callers.length]?.call("POST", "/send", { key, body })
    if (answer?.status === 202) return requestIdOf(answer)
    if (answer !== undefined && answer.status !== 503 && answer.status !== 409) {
      strange.push(`${answer.status} ${answer.body.slice(0, 200)}`)
    }
    await sleep(25 + Math.random() * 50)
  }
  throw new Error(`no node accepted ${key} in ten minutes`)
}

/**
 * Sends at a steady rate, as long as not too many wait, round all nodes, to recipients of their own; beside them chains of sends to one
 * recipient each, in bursts, the next as soon as the last is accepted, each at another node.
 */
export const start = (callers: ReadonlyArray<Caller.Caller>, perSecond: number, name = "load"): Load => {
  const strange: Array<string> = []
  const sent: Array<Promise<Sent>> = []
  const state = { over: false, accepted: 0 }
  const send = (n: number, recipient: string, chain: number | undefined) => {
    const promise = insist(callers, n, `${name}-${n}`, Caller.toEmail(recipient), strange).then((id) => {
      state.accepted++
      return { id, chain }
    })
    promise.catch(() => undefined)
    sent.push(promise)
    return promise
  }
  const steadily = async () => {
    for (let owed = 0, last = performance.now(); !state.over; await sleep(10)) {
      const now = performance.now()
      owed += (now - last) / 1_000 * perSecond
      last = now
      owed = Math.min(owed, mostWaiting - (sent.length - state.accepted))
      for (; owed >= 1; owed--) void send(sent.length, `${name}-own-${sent.length}`, undefined)
    }
  }
  const chain = async (number: number) => {
    for (let n = 1; !state.over; n++) {
      await send(sent.length, `${name}-chain-${number}`, number)
      await sleep(n % burst === 0 ? pause : Math.random() * 20)
    }
  }
  const running = Promise.all([steadily(), ...Array.from({ length: chains }, (_, number) => chain(number))])
  running.catch(() => undefined)
  return {
    accepted: () => state.accepted,
    strange: () => strange,
    reached: async (count) => {
      while (state.accepted < count) await sleep(20)
    },
    finish: async () => {
      state.over = true
      await running
      return await Promise.all(sent)
    }
  }
}
