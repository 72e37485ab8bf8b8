import { Budget } from "#src/content/Budget.ts"
import { contexts } from "#src/content/html/Contexts.ts"
import { assert, describe, it } from "@effect/vitest"

/** Outlook's comment with data in place of each `§`. */
const written = (template: string, ...values: ReadonlyArray<string>): string => {
  const writer = contexts(new Budget())
  return `<!--[if mso]>${template}<![endif]-->`.split("§").map((text, index) =>
    (index === 0 ? "" : writer.value(values[index - 1] ?? "")) + writer.text(text)
  ).join("")
}

describe("Data in what only Outlook reads", () => {
  it("keeps the hyphens of its words in a style, which knows no escapes, and no others", () => {
    assert.strictEqual(
      written("<style>td{font-family:§;margin:-§>}</style><title>§</title>", "sans-serif", "-a--b-", "a-b"),
      "<!--[if mso]><style>td{font-family:sans-serif;margin:-ab>}</style><title>a&#45;b</title><![endif]-->"
    )
  })

  it("escapes hyphens in linked data as JSON does", () => {
    const begun = "<script type='application/ld+json'>"
    assert.strictEqual(
      written(`${begun}["-§", §]</script>`, "-a-", "1-2"),
      `<!--[if mso]>${begun}["-\\u002da\\u002d", 1-2]</script><![endif]-->`
    )
  })
})
