import * as Mail from "#layers/providers/smtp/Mail.ts"
import { rendered, type Row, send } from "#test/contracts/VendorRow.ts"
import { awsSes } from "#test/layers/providers/rows/AwsSes.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import { delivery } from "#test/layers/providers/smtp/Deliveries.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Schema } from "effect"

const unsubscribe = "https://mail.example/t/unsubscribe/abc"

type Fields = ReadonlyArray<readonly [name: string, value: string]>

const click = { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }
const both: Fields = [["List-Unsubscribe", `<${unsubscribe}>`], [click.name, click.value]]

const listed = (fields: Fields): Schema.Json => fields.map(([Name, Value]) => ({ Name, Value }))

/** The e-mail vendors, each with where its API takes header fields. */
const vendors: ReadonlyArray<readonly [Row, path: ReadonlyArray<string>, form: (fields: Fields) => Schema.Json]> = [
  [sendGrid, ["headers"], Object.fromEntries],
  [postmark, ["Headers"], listed],
  [resend, ["headers"], Object.fromEntries],
  [awsSes, ["Content", "Simple", "Headers"], listed]
]

const at = (body: string, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], JSON.parse(body))

/** By each way of sending e-mail, the header fields it was given. */
const sent = Effect.fnUntraced(function*(link: string, headers: Readonly<Record<string, string>>) {
  const smtp = Mail.fromDelivery(
    { ...delivery({ override: { headers } }), rendered: { ...rendered, unsubscribe: link } },
    { name: "", address: "a@b.example" }
  )
  const overHttp = yield* Effect.forEach(vendors, ([row, path]) =>
    Effect.map(
      send({ ...row, override: { headers } }, row.success, {
        more: { rendered: { ...rendered, unsubscribe: link }, override: { headers } }
      }),
      ({ seen }) => at(seen.at(-1)?.body ?? "{}", path)
    ))
  return [
    Result.isSuccess(smtp) ? smtp.success.headers.map(({ key, value }) => [key, value]) : undefined,
    ...overHttp
  ]
})

const everywhere = (
  fields: Fields
) => [fields, ...vendors.map(([, , form]) => fields.length > 0 ? form(fields) : undefined)]

describe("List-Unsubscribe", () => {
  it.live("every way of sending e-mail carries both fields of RFC 8058 beside the message's own", () =>
    Effect.gen(function*() {
      const own = ["X-Order", "42"] as const
      assert.deepStrictEqual(yield* sent(unsubscribe, { "X-Order": "42" }), everywhere([own, ...both]))
    }))

  it.live("a message that sets one itself keeps its own, and no link that is too long for a header is cut", () =>
    Effect.gen(function*() {
      for (
        const own of [
          ["list-unsubscribe", "<mailto:stop@b.example>"],
          ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"]
        ] as const
      ) {
        assert.deepStrictEqual(yield* sent(unsubscribe, { [own[0]]: own[1] }), everywhere([own]))
      }
      assert.deepStrictEqual(yield* sent(`${unsubscribe}${"x".repeat(900)}`, {}), everywhere([]))
    }))
})
