import * as Mjml from "#layers/mjml/Mjml.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Layouts from "#src/content/Layouts.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Translations } from "#src/content/Translations.ts"
import { Effect, Layer, Option } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { pictures, type Sample, samples } from "./Samples.ts"

const here = dirname(fileURLToPath(import.meta.url))

/** `node test/screenshots/Take.ts [dark]`: renders the samples as mails and photographs them with Debian's chromium. */
const browser = process.env["CHROMIUM"] ?? "chromium"
const dark = process.argv.includes("dark")

const withPictures = (html: string): string =>
  Object.entries(pictures).reduce(
    (page, [address, picture]) => page.replaceAll(address, `data:image/svg+xml;base64,${btoa(picture)}`),
    html
  )

/** A window is at least 500 px wide, so a phone is a frame in the middle of one. */
const narrowest = 500

const shoot = (directory: string, { height, name, width }: Sample, html: string) => {
  const style = `display:block;margin:0 auto;border:0;width:${width}px;height:${height}px`
  writeFileSync(join(directory, "mail.html"), withPictures(html))
  writeFileSync(
    join(directory, "frame.html"),
    `<!doctype html><body style="margin:0;background:#d4d4d8"><iframe src="mail.html" style="${style}"></iframe>`
  )
  execFileSync(browser, [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    ...(dark ? ["--blink-settings=preferredColorScheme=0"] : []),
    `--window-size=${Math.max(narrowest, width)},${height}`,
    `--screenshot=${join(dark ? tmpdir() : here, `${name}.png`)}`,
    `file://${join(directory, "frame.html")}`
  ], { stdio: "ignore" })
}

const take = Effect.gen(function*() {
  const rendering = yield* Rendering.Rendering
  const directory = mkdtempSync(join(tmpdir(), "tidings-screenshots-"))
  for (const sample of samples) {
    const { brand, content, data, locale } = sample
    const rendered = yield* rendering.render(Scope.make(1), {
      content,
      channel: "email",
      provider: "smtp",
      data,
      profile: { name: "Ada", locale },
      brand,
      context: () => ({ messageId: "1-2-3", recipient: "ada", tenantId: undefined, environment: "test" })
    }, { lane: "", whose: "" })
    shoot(directory, sample, rendered.html)
    process.stdout.write(`${sample.name}: ${rendered.subject}\n\n${rendered.text}\n\n`)
  }
  rmSync(directory, { recursive: true })
})

await Effect.runPromise(
  take.pipe(Effect.provide(
    Rendering.layer.pipe(
      Layer.provide(Layouts.layer),
      Layer.provide(Mjml.layer),
      Layer.provide(Layer.mock(Translations, { find: () => Effect.succeed(Option.none()) }))
    )
  ))
)
