import { CannotListen } from "#layers/CannotStart.ts"
import { assert, describe, it } from "@effect/vitest"

const saidOf = (code: string, message: string) =>
  new CannotListen({
    address: "node-1:23000",
    variable: "TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT",
    cause: Object.assign(new Error(message), { code })
  }).message

describe("a start that cannot listen", () => {
  it("says to free its port where another process has it, and nowhere else", () => {
    const rest = "set TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT"
    const told = {
      EADDRINUSE: `another process listens there; free it or ${rest}`,
      EADDRNOTAVAIL: `it is no address of this machine; ${rest}`,
      EACCES: `this user may not listen there; ${rest}`,
      ENOTFOUND: `this machine knows no host of that name; ${rest}`,
      EAI_AGAIN: `getaddrinfo EAI_AGAIN node-1; ${rest}`
    }
    for (const [code, sentence] of Object.entries(told)) {
      assert.strictEqual(saidOf(code, `getaddrinfo ${code} node-1`), `cannot listen on node-1:23000: ${sentence}`)
    }
  })
})
