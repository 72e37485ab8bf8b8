import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { ready, run, type runtimes, serve } from "#test/support/MainProcess.ts"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

const secret = "commandcommandcommandcommandcommand"
/** A key of that server. */
export const key = `pk_prod_${secret}`

/** The environment of a command that asks the server at this URL. */
export const asking = (url: string) => ({ TIDINGS_URL: url, TIDINGS_API_KEY: key })

/** Where the server is. */
export class Url extends Context.Service<Url, string>()("test/Url") {}

/** A real server on an embedded store. */
export const server = Layer.effect(
  Url,
  Effect.gen(function*() {
    const directory = yield* Directories.withDatabase
    const port = yield* Effect.promise(() => Ports.free())
    const environment = { TIDINGS_DATA_DIR: directory, TIDINGS_DURABILITY: "process", TIDINGS_BOOTSTRAP_SECRET: secret }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => serve("node", port, environment)),
      (server) => Effect.promise(server.kill)
    )
    yield* Effect.promise(() => ready(server, port))
    return `http://127.0.0.1:${port}`
  })
)

/** Sends to the in-app inbox; answers the requestId. */
export const post = async (url: string, to: unknown, metadata: unknown = {}): Promise<string> => {
  const message = {
    to,
    metadata,
    content: { title: "t", body: "b" },
    routing: { method: "single", channels: ["inbox"] }
  }
  const response = await fetch(`${url}/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ message })
  })
  return (await response.json()).requestId
}

/** Makes what stands at this path. */
export const put = async (url: string, path: string): Promise<void> => {
  const { ok } = await fetch(`${url}${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "n" })
  })
  assert.isTrue(ok, path)
}

/** Runs the command to its end. */
export const tidings = async (
  runtime: keyof typeof runtimes,
  environment: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) => {
  const command = run(runtime, "layers/cli/Tidings.ts", environment, args)
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}
