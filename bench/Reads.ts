import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import * as People from "./People.ts"
import { rounds } from "./Ratio.ts"
import { type Line, measured, type Question, ratio } from "./Report.ts"
import * as Target from "./Target.ts"

const clients = 64
const users = 5000

/** What is read, of the user whose number the load generator writes in place of the marks. */
const paths = { profile: "/profiles/user-########", preferences: "/users/user-########/preferences" }

/** Stores profiles of the users that the load generator numbers, and topics with a choice of each user. */
const fill = async (target: Target.Target): Promise<void> => {
  const call = async (method: string, path: string, body: unknown): Promise<{ readonly id?: string }> => {
    const response = await fetch(`${target.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${target.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === "" ? {} : JSON.parse(text)
  }
  const section = await call("POST", "/preferences/sections", People.section)
  const topics: Array<string> = []
  for (const topic of People.topics) {
    topics.push((await call("POST", `/preferences/sections/${section.id}/topics`, topic)).id ?? "")
  }
  const numbers = Array.from({ length: users }, (_, number) => String(number).padStart(8, "0"))
  const fillNext = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const user = `user-${number}`
      await call("PUT", `/profiles/${user}`, { profile: People.profile(user) })
      await call("PUT", `/users/${user}/preferences/${topics[0]}`, { topic: { status: "OPTED_OUT" } })
    }
  }
  await Promise.all(Array.from({ length: 32 }, fillNext))
}

/**
 * How fast are a profile and a user's preferences read, beside an endpoint that gives the same answers without a
 * look-up?
 */
export const reads: Question = (quick) =>
  Database.withDatabase(async (database) => {
    const [ours, bare] = await Promise.all([Target.tidings({ database }), Target.endpoint("ReadsEndpoint")])
    try {
      await fill(ours)
      const lines: Array<Line> = []
      for (const [what, path] of Object.entries(paths)) {
        const rate = (name: string, { apiKey, url }: Target.Target, seconds: number) => async () =>
          Target.sound(name, await Load.run({ url, apiKey, clients, seconds, recipients: users, get: path })).rate
        await rounds(1, { ours: rate("ours", ours, quick ? 1 : 3), bare: rate("bare", bare, quick ? 1 : 3) })
        const rates = await rounds(quick ? 1 : 5, {
          ours: rate("ours", ours, quick ? 1 : 4),
          bare: rate("bare", bare, quick ? 1 : 4)
        })
        lines.push(
          measured("reads", `GET ${what}`, rates.ours),
          measured("reads", `${what}, bare endpoint`, rates.bare),
          ratio("reads", `${what}, ratio to the bare endpoint`, rates.ours, rates.bare, 0.7)
        )
      }
      return lines
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  })
