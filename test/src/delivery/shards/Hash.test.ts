import { fnv1a } from "#src/delivery/shards/Hash.ts"
import { assert, describe, it } from "@effect/vitest"

describe("The hash that spreads recipients over shards", () => {
  it("P2: is FNV-1a and stays it: with another, what is stored would have other owners after an update", () => {
    const published = { "": 0x811c9dc5, a: 0xe40c292c, b: 0xe70c2de5, foo: 0xa9f37ed7, foobar: 0xbf9cf968 }
    for (const [text, hash] of Object.entries(published)) assert.strictEqual(fnv1a(text), hash, text)
  })
})
