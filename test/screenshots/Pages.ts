import { owner, start } from "#test/layers/http/pages/Readers.ts"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const here = dirname(fileURLToPath(import.meta.url))

/** `node test/screenshots/Pages.ts [dark]`: photographs the pages of readers, as they are served, with Debian's chromium. */
const browser = process.env["CHROMIUM"] ?? "chromium"
const dark = process.argv.includes("dark")

const shoot = (name: string, height: number, url: string) =>
  Effect.promise(() =>
    promisify(execFile)(browser, [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      ...(dark ? ["--blink-settings=preferredColorScheme=0"] : []),
      `--window-size=700,${height}`,
      `--screenshot=${join(dark ? tmpdir() : here, `${name}.png`)}`,
      url
    ])
  )

const take = Effect.gen(function*() {
  const { brands, catalogue, origin, say, tokens, topic } = yield* start
  const both = {
    allowed_preferences: ["channel_preferences" as const],
    routing_options: ["email" as const, "sms" as const]
  }
  yield* topic({ name: "Receipts", default_status: "REQUIRED", description: "What you bought, and what it cost." })
  const parcels = yield* topic({ name: "Parcels", description: "Where your order is.", ...both })
  yield* topic({ name: "New teas", default_status: "OPTED_OUT", description: "At most one letter a week." })
  yield* brands.create(owner.scope, "tea", { name: "Tea & Co", settings: { colors: { primary: "#0f766e" } } })
  yield* say(parcels, { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] })
  yield* catalogue.publish(owner.scope, {
    brandId: "tea",
    heading: "What we may write to you about",
    description: undefined
  })
  yield* shoot("preferences", 720, `${origin}/t/preferences/${tokens.preferences(owner)}`)
  yield* shoot("unsubscribe", 420, `${origin}/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId: parcels })}`)
})

await Effect.runPromise(Effect.scoped(take))
