import * as Ports from "#test/support/Ports.ts"
import { asking, key, post, put, server, tidings, Url } from "#test/layers/cli/Command.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

describe("tidings trace", () => {
  layer(server, { timeout: 180_000 })((it) => {
    for (const runtime of ["node", "deno"] as const) {
      it.effect(
        `prints a message's timeline and the messages of a request, on ${runtime}`,
        () =>
          Effect.flatMap(Url, (url) =>
            Effect.promise(async () => {
              const id = await post(url, { user_id: "ada" })
              let one = await tidings(runtime, asking(url), "trace", id)
              for (let asked = 0; asked < 20 && !one.stdout.includes("SENT"); asked++)
                one = await tidings(runtime, asking(url), "trace", id)
              assert.strictEqual(one.code, 0, one.stderr)
              const [status = "", ...events] = one.stdout.trim().split("\n")
              assert.match(status, new RegExp(`^SENT  ${id}  to ada  `))
              assert.deepStrictEqual(
                events.map((line) => line.trim().split(/ {2,}/)[1]),
                ["ENQUEUED", "MAPPED", "PROFILE_LOADED", "ROUTED", "RENDERED", "DELIVERING", "SENT"].filter((type) =>
                  one.stdout.includes(type)
                )
              )
              const byTrace = await tidings(
                runtime,
                {},
                "trace",
                // As it is pasted.
                ` ${id.replaceAll("-", "").slice(1)} `,
                "--url",
                `${url}/`,
                "--key",
                key
              )
              assert.deepStrictEqual(byTrace, one)
              const json = JSON.parse((await tidings(runtime, asking(url), "trace", id, "--json")).stdout)
              assert.deepStrictEqual([json.message.id, json.events[0].type], [id, "ENQUEUED"])

              const request = await post(url, [{ user_id: "a" }, { user_id: "b" }])
              const many = await tidings(runtime, asking(url), "trace", request)
              assert.strictEqual(many.code, 0, many.stderr)
              const [title, ...lines] = many.stdout.trim().split("\n")
              assert.strictEqual(title, `Request ${request}: 2 messages`)
              assert.strictEqual(lines.length, 2)
            })),
        120_000
      )
    }

    it.effect(
      "says that what it found could not be written, unless its reader has read enough",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const id = await post(url, { user_id: "ada" })
            const environment = { ...process.env, ...asking(url) }
            const shell = async (line: string) => {
              const child = spawn("bash", ["-c", line, process.execPath, "layers/cli/Tidings.ts", id], {
                env: environment
              })
              let stderr = ""
              child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
              const [code] = await once(child, "close")
              return { code, stderr }
            }
            assert.deepStrictEqual(await shell("\"$0\" \"$1\" trace \"$2\" > /dev/full"), {
              code: 1,
              stderr: "Cannot write to standard output: ENOSPC: no space left on device, write\n"
            })
            assert.deepStrictEqual(await shell("\"$0\" \"$1\" trace \"$2\" | true; exit ${PIPESTATUS[0]}"), {
              code: 0,
              stderr: ""
            })
          })),
      120_000
    )

    it.effect(
      "knows a request that has no messages, and one that was archived",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            await put(url, "/lists/nobody")
            const none = await post(url, { list_id: "nobody" })
            const empty = await tidings("node", asking(url), "trace", none)
            assert.match(empty.stdout, new RegExp(`^Request ${none}: 0 messages`))
            assert.strictEqual(empty.code, 0, empty.stderr)

            const request = await post(url, [{ user_id: "a" }, { user_id: "b" }])
            await put(url, `/requests/${request}/archive`)
            const [title, ...lines] = (await tidings("node", asking(url), "trace", request)).stdout.trim().split("\n")
            assert.deepStrictEqual([title, lines.length], [`Request ${request}: 2 messages, archived`, 2])
          })),
      120_000
    )

    it.effect(
      "finds messages by a caller's own trace id, which may look like ours",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            const ids = [
              await post(url, { user_id: "ada" }, { trace_id: trace }),
              await post(url, { user_id: "bob" }, { trace_id: trace })
            ]
            const [title, ...lines] = (await tidings("node", asking(url), "trace", trace)).stdout.trim().split("\n")
            assert.strictEqual(title, `Trace ${trace}: 2 messages`)
            assert.deepStrictEqual(lines.map((line) => line.trim().split(/ {2,}/)[1]), ids.toReversed())
          })),
      120_000
    )

    it.effect(
      "says in one sentence why it cannot, with an exit code of its own",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const nobody = "1-00000000-000000000000000000000000"
            const closed = `http://127.0.0.1:${await Ports.free()}`
            for (
              const [environment, code, sentence] of [
                [{ TIDINGS_URL: url }, 2, "No API key: set TIDINGS_API_KEY or --key"],
                [
                  asking(closed),
                  3,
                  `No Tidings server answers at ${closed}; set TIDINGS_URL or --url`
                ],
                [{ TIDINGS_URL: url, TIDINGS_API_KEY: "pk_prod_no" }, 4, `${url} refuses the API key`],
                [
                  asking(url),
                  5,
                  `No message and no request has the id ${nobody} in this key's environment`
                ],
                [
                  { PORT: url.slice(url.lastIndexOf(":") + 1), TIDINGS_API_KEY: key },
                  5,
                  `No message and no request has the id ${nobody} in this key's environment`
                ]
              ] as const
            ) {
              assert.deepStrictEqual(await tidings("node", environment, "trace", nobody), {
                code,
                stdout: "",
                stderr: `${sentence}\n`
              })
            }
            assert.strictEqual((await tidings("node", {}, "trace")).code, 1)
            // In a URL's path these two name another path.
            for (const command of ["trace", "replay"]) {
              for (const dots of [".", ".."]) {
                assert.deepStrictEqual(
                  await tidings("node", asking(url), command, dots),
                  {
                    code: 5,
                    stdout: "",
                    stderr: `No message and no request has the id ${dots} in this key's environment\n`
                  },
                  `${command} ${dots}`
                )
              }
            }
          })),
      120_000
    )

    it.effect(
      "tells a setting that cannot be one from a server that does not answer",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const address = url.slice("http://".length)
            for (
              const [environment, id, code, sentence] of [
                [
                  { TIDINGS_URL: url, TIDINGS_API_KEY: "…" },
                  "1-0",
                  2,
                  "The API key has characters that no key has: set TIDINGS_API_KEY or --key to one that the first start printed"
                ],
                [{ TIDINGS_URL: url, TIDINGS_API_KEY: " " }, "1-0", 2, "No API key: set TIDINGS_API_KEY or --key"],
                [
                  asking(address),
                  "1-0",
                  3,
                  `${address} is not the URL of a server; set TIDINGS_URL or --url to one such as http://localhost:3000`
                ],
                [
                  { PORT: "abc", TIDINGS_API_KEY: key },
                  "1-0",
                  3,
                  "PORT must be a port number; or set TIDINGS_URL or --url"
                ],
                [
                  asking(url),
                  "",
                  5,
                  "The id is empty: say a message's id or a requestId"
                ]
              ] as const
            ) {
              assert.deepStrictEqual(await tidings("node", environment, "trace", id), {
                code,
                stdout: "",
                stderr: `${sentence}\n`
              })
            }
          })),
      120_000
    )
  })
})
