import type { Given } from "#layers/testing/Given.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Array } from "effect"

/** Addresses that no log may show (I10), and people who are written to often enough to have an order. */
export const people: Array.NonEmptyReadonlyArray<Recipient> = [
  { email: "ada@canary.test" },
  { email: "bob@canary.test", phone_number: "+15550100001" },
  { user_id: "cleo", email: "cleo@canary.test", phone_number: "+15550100002" },
  { phone_number: "+15550100003" },
  { user_id: "dan", email: "dan@canary.test" },
  { user_id: "eve", email: "eve@canary.test", phone_number: "+15550100004", ring: "canary-eve" },
  { user_id: "flo", ring: "canary-flo" },
  { user_id: "nobody" }
]

export const users: Array.NonEmptyReadonlyArray<string> = ["cleo", "dan", "eve", "flo", "nobody"]

/** Who is subscribed at the beginning: one list has several pages of the worlds' size, and both have somebody in common. */
export const lists: Readonly<Record<string, ReadonlyArray<string>>> = {
  crew: ["cleo", "dan", "eve", "flo"],
  guests: ["cleo", "nobody"]
}

export const topic = "news"

const profiles: Readonly<Record<string, Profile>> = Object.fromEntries(
  people.flatMap(({ user_id: user, ...profile }) => typeof user === "string" ? [[user, profile]] : [])
)

/** The stored profile, under what a message says of its recipient. */
export const profileOf = (recipient: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const user = recipient["user_id"]
  return typeof user === "string" ? { ...profiles[user], ...recipient } : recipient
}

export const given: Given = { profiles, lists, topics: [topic] }
