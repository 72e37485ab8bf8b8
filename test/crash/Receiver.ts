import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { Effect } from "effect"
import { createHmac } from "node:crypto"

/** A call of a webhook: what came over the wire, when (epoch ms), and what it was answered; `undefined`: nothing. */
export interface Call {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly at: number
  readonly status: number | undefined
}

/** A call that is not answered is given up by its caller after 10 s; until half of that it is surely open. */
const surelyOpen = 5_000

/** A webhook's receiver. */
export interface Receiver {
  readonly url: string
  /** All calls, in order. */
  readonly calls: ReadonlyArray<Call>
  /** Events that were answered in a round of calls that went on until its server was killed. */
  readonly doomed: ReadonlySet<string>
  /** From now on some calls are not answered: their round goes on, while others of it are told. */
  readonly hold: () => void
  readonly release: () => void
  /** Nobody reaches it until it comes back. */
  readonly leave: () => void
  readonly comeBack: () => void
}

/**
 * A webhook's receiver that keeps a ledger of its calls. It refuses some events, and cuts the connection of others, when
 * it hears of them for the first time.
 */
export const listen = Effect.gen(function*() {
  const calls: Array<Call> = []
  const known = new Set<string>()
  const doomed = new Set<string>()
  let isHolding = false
  let sinceHeld = 0
  let heldAt = -Infinity

  const replyTo = (id: string): ScriptedVendor.Reply => {
    if (isHolding && sinceHeld++ % 8 === 0) {
      heldAt = performance.now()
      return "silence"
    }
    const isNew = !known.has(id)
    known.add(id)
    if (isNew && known.size % 7 === 0) return { status: 500 }
    if (isNew && known.size % 11 === 0) return { reset: "after" }
    if (isHolding && performance.now() - heldAt < surelyOpen) doomed.add(id)
    return { status: 204 }
  }

  const server = yield* ScriptedVendor.listen({
    script: ({ body, headers }) => {
      // Asked of the head alone.
      if (body === "") return { status: 204 }
      const id = headers["webhook-id"] ?? ""
      const reply = replyTo(id)
      const status = typeof reply === "object" && "status" in reply ? reply.status : undefined
      calls.push({ id, headers, body, at: Date.now(), status })
      return reply
    }
  })
  const network = yield* TcpProxy.start({ host: "127.0.0.1", port: server.port })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${network.port}/hooks`,
    calls,
    doomed,
    hold: () => {
      isHolding = true
      sinceHeld = 0
    },
    release: () => {
      isHolding = false
    },
    leave: network.cut,
    comeBack: network.heal
  }
  return receiver
})

/** When a call says that it was signed (epoch ms), and its signatures by this secret, worked out anew. */
export const signatures = (secret: string, { body, headers, id }: Call) => {
  const at = Number(/^t=(\d+),/.exec(headers["courier-signature"] ?? "")?.[1])
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const standard = createHmac("sha256", key).update(`${id}.${headers["webhook-timestamp"]}.${body}`)
  return {
    at,
    own: `t=${at},signature=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`,
    standard: `v1,${standard.digest("base64")}`
  }
}
