import * as Addressed from "#src/delivery/pipeline/Addressed.ts"
import * as Content from "#src/content/Content.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const input: Content.Input = {
  content: {},
  channel: "email",
  provider: "smtp",
  data: { boss: "bob@example.com", two: "a@example.com, evil@example.com", name: "\"B\" <evil@example.com>" },
  profile: { email: "ada@example.com" },
  context: () => ({ messageId: "1", recipient: "ada", tenantId: undefined, environment: "test" })
}

const addressed = (override: JsonMap) => Addressed.of(override, (texts) => Content.addresses(input, texts))

describe("Addresses of an e-mail's override", () => {
  it("cc, bcc and reply_to may hold variables, as a text, a person or a list; other members are as they came", () => {
    assert.deepStrictEqual(
      addressed({
        cc: "{{boss}}",
        bcc: ["x@example.com", "{{profile.email}}"],
        reply_to: { email: "{{data.boss}}", name: "The boss" },
        subject: "{{boss}}"
      }),
      Result.succeed({
        cc: "bob@example.com",
        bcc: ["x@example.com", "ada@example.com"],
        reply_to: { email: "bob@example.com", name: "The boss" },
        subject: "{{boss}}"
      })
    )
    const plain = { cc: "x@example.com" }
    assert.strictEqual(Result.getOrThrow(addressed(plain)), plain)
  })

  it("a value is one address: it adds none", () => {
    assert.deepStrictEqual(
      addressed({ cc: "{{two}}", bcc: "{{name}} <b@example.com>" }),
      Result.succeed({ cc: "a@example.com  evil@example.com", bcc: " B   evil@example.com  <b@example.com>" })
    )
  })

  it("a variable that has nothing to say names nobody", () => {
    assert.deepStrictEqual(
      addressed({
        cc: "{{nobody}}",
        bcc: ["x@example.com", "{{nobody}}", { email: "{{nobody}}", name: "N" }, {
          email: "y@example.com",
          name: "{{nobody}}"
        }],
        reply_to: { email: "{{nobody}}" },
        subject: "Hello"
      }),
      Result.succeed({ bcc: ["x@example.com", { email: "y@example.com" }], subject: "Hello" })
    )
  })

  it("what is no address is left as it came", () => {
    const odd = { cc: [5, true, { email: null, name: "N" }], reply_to: null }
    assert.strictEqual(Result.getOrThrow(addressed(odd)), odd)
    assert.deepStrictEqual(addressed({ ...odd, bcc: "{{boss}}" }), Result.succeed({ ...odd, bcc: "bob@example.com" }))
  })

  it("what is no template fails", () => {
    assert.isTrue(Result.isFailure(addressed({ cc: "{{#if}}" })))
  })
})
