import * as TypeId from "#src/access/TypeId.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 }))
const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Chance = Schema.Array(Byte).check(Schema.isMinLength(10), Schema.isMaxLength(10))

describe("TypeId", () => {
  it("spells a UUID of version 7 as the published example does", () => {
    // 01890a5d-ac96-774b-bcce-b302099a8057 is prefix_01h455vb4pex5vsknk084sn02q.
    const chance = 0x74bn << 62n | 0x3cceb302099a8057n
    const random = Uint8Array.from({ length: 10 }, (_, n) => Number(chance >> BigInt(8 * (9 - n)) & 255n))
    assert.strictEqual(TypeId.make("prefix", 0x01890a5dac96, random), "prefix_01h455vb4pex5vsknk084sn02q")
  })

  it.prop("sorts by the millisecond it was made in", { a: Time, b: Time, x: Chance, y: Chance }, ({ a, b, x, y }) => {
    const [one, other] = [TypeId.make("nt", a, Uint8Array.from(x)), TypeId.make("nt", b, Uint8Array.from(y))]
    assert.match(one, /^nt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    if (a !== b) assert.strictEqual(one < other, a < b)
  })
})
