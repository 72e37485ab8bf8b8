import { Effect, Layer, Result } from "effect"
import * as Mjml from "#layers/mjml/Mjml.ts"
import * as Layouts from "#src/content/Layouts.ts"
import * as Content from "#src/content/Content.ts"
import { type Line, measured, type Question } from "./Report.ts"

const context = {
  messageId: "1-2-3",
  recipient: "ada",
  tenantId: undefined,
  environment: "test",
  now: 1_735_689_600_000
}

const items = Array.from({ length: 5 }, (_, n) => ({ name: `Tea no. ${n}`, count: n + 1 }))

/** An ordinary mail: a heading, some text with values, a list of five, a button, and small print. */
const order = {
  elements: [
    { type: "meta", title: "Order {{id}} has shipped" },
    { type: "text", text_style: "h1", content: "Your order is on its way" },
    {
      type: "text",
      content: "Hi **{{capitalize name}}**, order [#{{id}}](https://example.com/orders/{{id}}) left *today*."
    },
    { type: "list", elements: [{ type: "list-item", loop: "items", content: "{{$.item.name}} × {{$.item.count}}" }] },
    { type: "text", if: "data.items.length > 3", content: "That is {{#if gift}}a gift{{else}}a lot of tea{{/if}}." },
    { type: "action", content: "Track it", href: "https://example.com/track/{{id}}" },
    { type: "text", text_style: "subtext", content: "You get this because you ordered at {{shop}}." }
  ]
}

const brand = {
  id: "tea",
  name: "Example Tea Co.",
  settings: {
    colors: { primary: "#0f766e" },
    email: {
      header: { barColor: "#0f766e", logo: { image: "https://example.com/logo.png", href: "https://example.com" } },
      footer: {
        markdown: "**{{shop}}**, 1 Harbour Road\n\n[Stop these mails](https://example.com/stop/{{id}})",
        social: { instagram: { url: "https://instagram.com/tea" } }
      }
    }
  },
  snippets: {}
}

/** The brand's layout, compiled once and kept. */
const branding = () =>
  Effect.runPromise(
    Layouts.Layouts.use(({ of }) => of(brand)).pipe(
      Effect.provide(Layouts.layer.pipe(Layer.provide(Mjml.layer)))
    )
  )

const code = { title: "Your code", body: "Your code is {{code}}. It is valid for ten minutes." }

const batch = 500

/**
 * Renderings per second, measured for `ms` in batches. Every rendering has data of its own, since only templates are
 * cached.
 */
const rate = (
  content: Content.Input["content"],
  channel: string,
  ms: number,
  branding?: Content.Input["branding"]
): number => {
  let done = 0
  const start = performance.now()
  while (performance.now() - start < ms) {
    for (let turn = 0; turn < batch; turn++) {
      const data = {
        id: done + turn,
        name: "ada",
        shop: "Example Tea Co.",
        gift: false,
        items,
        code: `${100_000 + done + turn}`
      }
      const rendered = Content.render({
        content,
        channel: channel === "slack" ? "direct_message" : channel,
        provider: channel,
        data,
        profile: { locale: "en" },
        branding,
        context: () => context
      })
      if (Result.isFailure(rendered)) throw new Error(rendered.failure.detail)
    }
    done += batch
  }
  return done / (performance.now() - start) * 1000
}

/** How many messages a second can be rendered on one core, once their templates are parsed? */
export const render: Question = async (quick) => {
  const [rounds, ms] = quick ? [2, 100] : [9, 1000]
  const branded = await branding()
  const line = (
    what: string,
    content: Content.Input["content"],
    channel: string,
    branding?: Content.Input["branding"]
  ): Line => {
    rate(content, channel, ms / 2, branding)
    const rates = Array.from({ length: rounds }, () => rate(content, channel, ms, branding))
    const all = measured("render", what, rates)
    return { ...all, note: `${Math.round(1e6 / all.value)} µs each` }
  }
  return [
    line("email of 7 elements, HTML and text", order, "email"),
    line("the same in a brand's page, its footer filled in", order, "email", branded),
    line("the same for the inbox", order, "inbox"),
    line("the same as blocks for Slack", order, "slack"),
    line("SMS of one line", code, "sms")
  ]
}
