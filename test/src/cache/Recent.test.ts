import { recent } from "#src/cache/Recent.ts"
import { describe, expect, it } from "@effect/vitest"

const counted = () => {
  const made: Array<string> = []
  const of = recent(2, (content: { readonly text: string }, channel: string) => {
    made.push(`${content.text} ${channel}`)
    return { said: content.text, channel }
  })
  return { made, of }
}

describe("Recent", () => {
  it("makes the same of the same parts, once", () => {
    const { made, of } = counted()
    const content = { text: "a" }
    expect(of(content, "email")).toBe(of(content, "email"))
    expect(made).toEqual(["a email"])
  })

  it("tells parts apart that only look alike, and every part of them", () => {
    const { made, of } = counted()
    expect(of({ text: "a" }, "email")).not.toBe(of({ text: "a" }, "email"))
    const content = { text: "b" }
    expect(of(content, "email").channel).toBe("email")
    expect(of(content, "sms").channel).toBe("sms")
    expect(made).toEqual(["a email", "a email", "b email", "b sms"])
  })

  it("keeps no more than its few", () => {
    const { made, of } = counted()
    const contents = ["a", "b", "c"].map((text) => ({ text }))
    for (const content of [...contents, ...contents]) of(content, "email")
    expect(made).toHaveLength(6)
  })
})
