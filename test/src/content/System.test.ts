import * as Content from "#src/content/Content.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const variables = { brand: { name: "Tea" }, courier: { scope: "live" }, tenant: { name: "Acme", id: "old" } }

const base: Content.Input = {
  content: {},
  channel: "inbox",
  provider: "inbox",
  data: {},
  profile: {},
  context: () => ({ messageId: "1-2-3", recipient: "ada", tenantId: undefined, environment: "test" })
}

const withContext = (context: Partial<Content.Context>) => () => ({ ...base.context(), ...context })

const body = (source: string, context: Partial<Content.Context> = {}): string =>
  Result.getOrThrow(Content.render({ ...base, content: { body: source }, context: withContext(context) })).body

const addresses = (input: Partial<Content.Input>, ...texts: ReadonlyArray<string>) =>
  Content.addresses({ ...base, ...input }, texts)

describe("What the engine itself knows, as variables", () => {
  it("are the message's id, its recipient and the environment, and what it is given of all else", () => {
    const source = "{{messageId}} {{recipient}} {{courier.environment}}{{courier.scope}} {{brand.name}} {{tenant.name}}"
    assert.strictEqual(body(source), "1-2-3 ada test  ")
    assert.strictEqual(body(source, { variables }), "1-2-3 ada testlive Tea Acme")
    assert.strictEqual(body("{{courier.environment}}", { variables: { courier: { environment: "x" } } }), "test")
    for (const courier of ["text", null, ["a"]])
      assert.strictEqual(body("{{courier.environment}}{{courier.length}}", { variables: { courier } }), "test")
  })

  it("is the tenant, whose id is that of the message", () => {
    const source = "{{tenant.id}} {{tenant.name}}"
    assert.deepStrictEqual(
      [{}, { tenantId: "acme" }, { variables }, { variables, tenantId: "acme" }].map((context) =>
        body(source, context)
      ),
      [" ", "acme ", "old Acme", "acme Acme"]
    )
  })

  it("is the year, as it is in UTC, and the link that opts out, where there are any", () => {
    const source = "{{datetime.year}}{{unsubscribeTrackingId}}"
    assert.strictEqual(body(source), "")
    assert.strictEqual(body(source, { unsubscribeTrackingId: "t" }), "t")
    const newYear = Date.UTC(2031, 0, 1)
    assert.deepStrictEqual([newYear - 1, newYear].map((now) => body(source, { now })), ["2030", "2031"])
  })
})

describe("The addresses of a mail, as templates", () => {
  it("have all that templates have, one by one", () => {
    assert.deepStrictEqual(
      addresses(
        { data: { v: "v@x.io" }, profile: { email: "p@x.io" }, context: withContext({ variables }) },
        "{{v}}",
        "{{brand.name}} <{{profile.email}}>",
        "{{recipient}}, {{messageId}}@x.io;",
        "as;it,is"
      ),
      Result.succeed(["v@x.io", "Tea <p@x.io>", "ada, 1-2-3@x.io;", "as;it,is"])
    )
  })

  it("fail where a variable is missing, if it was said that it must not be", () => {
    assert.deepStrictEqual(addresses({}, "{{v}}"), Result.succeed([""]))
    assert.isTrue(Result.isFailure(addresses({ throwing: true }, "{{v}}")))
    assert.isTrue(Result.isSuccess(addresses({ throwing: true, data: { v: "" } }, "{{v}}")))
  })

  const parts = ["a", "@x.io", ",", ";", "<", ">", "\"", "\r", "\n", " ", "(", "'"] as const

  it.prop("have nothing in a value that ends an address or begins another one", {
    of: Schema.Array(Schema.Literals(parts))
  }, ({ of }) => {
    const v = of.join("")
    const [filled = ""] = Result.getOrThrow(addresses({ data: { v } }, "<{{v}}>"))
    assert.strictEqual(filled, `<${v.split(/[,;<>"\r\n]+/).join(" ")}>`)
  })
})
