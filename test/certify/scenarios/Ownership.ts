import * as Checks from "#test/certify/Checks.ts"
import * as Load from "#test/certify/Load.ts"
import * as Machine from "#test/certify/Machine.ts"
import * as Nodes from "#test/certify/Nodes.ts"
import type { Verdict } from "#test/certify/Verdict.ts"
import * as Drain from "#test/crash/Drain.ts"
import type { Place } from "#test/support/Places.ts"
import type { PrivatePostgres } from "#test/support/PrivatePostgres.ts"
import { setTimeout as sleep } from "node:timers/promises"

const longestTakeOver = 10_000
/** With the wait for the lock of one that is still there. */
const longestExpiry = 15_000

const now = () => performance.timeOrigin + performance.now()

/**
 * P1–P4 on three nodes under load: one is killed, one frozen for `freeze` ms, all are restarted one after the other, and Postgres crashes.
 * Double ownership is read from the provider's own ledger.
 */
export const run = async (
  scenario: string,
  place: Place,
  postgres: PrivatePostgres,
  options: { readonly perSecond: number; readonly freeze: number; readonly rounds: number }
): Promise<Verdict> => {
  const nodes = await Nodes.start(place, 3)
  const [first, second, third] = nodes
  if (first === undefined || second === undefined || third === undefined) throw new Error("there are three nodes")
  const breaches: Array<string> = []
  const frozen: Array<Checks.Frozen> = []
  const slowness = Machine.slownessFromNow()
  let slowest = 0
  const noted = (what: string, millis: number, limit = longestTakeOver) => {
    slowest = Math.max(slowest, millis)
    if (millis > limit * slowness()) breaches.push(`${what} took ${Math.round(millis)} ms`)
  }
  const whole = (node: Nodes.Node) =>
    Nodes.until(node, (seen) => nodes.every((each) => Nodes.owned(seen, each) > 0) && seen.unowned.length === 0)
  const load = Load.start(nodes.map(({ caller }) => caller), options.perSecond)

  for (let round = 0; round < options.rounds; round++) {
    await whole(second)
    await sleep(1_000)
    await first.process.kill()
    noted("taking over from a killed node", await Nodes.until(second, Nodes.servedWithout(first)))
    first.process = Nodes.launch(first.place)
    await first.process.ready()
    await whole(third)

    const { pid } = second.process
    const from = now()
    second.process.signal("SIGSTOP")
    // A frozen process keeps its connection, and with it its locks, until they expire.
    noted(
      "taking over from a frozen node",
      await Nodes.until(third, Nodes.servedWithout(second)).catch(() => Infinity),
      longestExpiry
    )
    await sleep(Math.max(0, options.freeze - (now() - from)))
    frozen.push({ pid, from, to: now() })
    second.process.signal("SIGCONT")
    await whole(third)

    for (const node of nodes) {
      node.process.signal("SIGTERM")
      const { code } = await node.process.ended
      if (code !== 0) breaches.push(`a node told to stop ended with ${code}`)
      node.process = Nodes.launch(node.place)
      await node.process.ready()
    }
    await whole(first)

    await postgres.stop("immediate")
    await postgres.start()
    const began = now()
    await load.reached(load.accepted() + options.perSecond)
    await whole(first)
    noted("working again after a crash of Postgres", now() - began)
  }

  const sent = await load.finish()
  await Drain.untilClosed(first.caller, 60_000)
  await Nodes.stop(nodes)
  return Checks.verdict({
    scenario,
    place,
    sent,
    frozen,
    slowestRecovery: slowest,
    slowness: slowness(),
    breaches: [...breaches, ...load.strange().map((answer) => `an answer nobody was promised: ${answer}`)]
  })
}
