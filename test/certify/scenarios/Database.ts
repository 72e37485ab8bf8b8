import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Ledger from "#test/support/Ledger.ts"
import { requestIdOf } from "#test/crash/OpenLoop.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { Effect, Exit, Scope } from "effect"
import { setTimeout as sleep } from "node:timers/promises"

const noPostgres = "no Postgres server is installed that could be restarted"

/**
 * Postgres stops, crashes and comes back under load: meanwhile 503 with Retry-After within 2.5 s, accepts within 5 s of its return, deliveries
 * within 10 s.
 */
export const restarts: Scenario = (setting) => {
  const { postgres } = setting
  if (postgres === undefined) return Promise.resolve({ scenario: setting.name, skipped: noPostgres })
  return at(setting, async (place) => {
    let times = 0
    const verdict = await One.run(
      setting.name,
      place,
      setting.perSecond,
      async ({ breach, probe, recovered, within }) => {
        const began = performance.now()
        while (times === 0 || performance.now() - began < setting.seconds * 1_000) {
          await sleep(1_500 + Math.random() * 2_000)
          await postgres.stop(times % 2 === 0 ? "fast" : "immediate")
          const away = performance.now()
          for (let asked = 0; performance.now() - away < 2_000 || asked < 1; asked++) {
            const since = performance.now()
            const answer = await probe(`away-${times}`)
            const millis = Math.round(performance.now() - since)
            if (answer?.status !== 503) breach(`${answer?.status} while the database was away`)
            else if (answer.headers["retry-after"] === undefined) breach("503 without Retry-After")
            within(2_500, millis, "503 of a server without its database")
            await sleep(100)
          }
          await postgres.start()
          const back = performance.now()
          let answer = await probe(`back-${times}`)
          while (answer?.status !== 202 && performance.now() - back < 30_000) {
            await sleep(25)
            answer = await probe(`back-${times}`)
          }
          const accepted = performance.now() - back
          const id = answer === undefined ? "" : requestIdOf(answer)
          while (!Ledger.read(place.ledger).some((call) => call.id === id) && performance.now() - back < 30_000)
            await sleep(50)
          const delivered = performance.now() - back
          within(5_000, accepted, "accepted after the database came back")
          within(10_000, delivered, "delivered after the database came back")
          recovered(delivered)
          times++
        }
      }
    )
    return { ...verdict, note: `${times} restarts` }
  })
}

/** Connections are reset while commits are on their way: whether they happened, nobody is told. */
export const cuts: Scenario = (setting) =>
  setting.storage === "embedded"
    ? Promise.resolve({ scenario: setting.name, skipped: "the embedded database has no connection to cut" })
    : at(setting, async (direct) => {
      const scope = await Effect.runPromise(Scope.make())
      const url = new URL(direct.databaseUrl ?? "")
      const proxy = await Effect.runPromise(
        TcpProxy.start({ host: url.hostname, port: Number(url.port) }).pipe(Scope.provide(scope))
      )
      url.hostname = "127.0.0.1"
      url.port = String(proxy.port)
      let times = 0
      const verdict = await One.run(setting.name, { ...direct, databaseUrl: url.href }, setting.perSecond, async () => {
        const began = performance.now()
        while (performance.now() - began < setting.seconds * 1_000) {
          await sleep(20 + Math.random() * 400)
          proxy.drop()
          times++
        }
      })
      await Effect.runPromise(Scope.close(scope, Exit.void))
      return { ...verdict, note: `${times} cuts` }
    })
