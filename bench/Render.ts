import { Result } from "effect"
import * as Content from "#src/content/Content.ts"
import { spread } from "./Ratio.ts"
import type { Line, Question } from "./Report.ts"

const context = {
  messageId: "1-2-3",
  recipient: "ada",
  tenantId: undefined,
  environment: "test",
  now: 1_735_689_600_000
}

const items = Array.from({ length: 5 }, (_, n) => ({ name: `Tea no. ${n}`, count: n + 1 }))

/** An ordinary mail: a heading, some text with values, a list of five, a button, small print. */
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

const code = { title: "Your code", body: "Your code is {{code}}. It is valid for ten minutes." }

const batch = 500

/** Renderings per second for as long as `ms`, in batches; every one with data of its own, since only templates are remembered. */
const rate = (content: Content.Input["content"], channel: string, ms: number): number => {
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
      const rendered = Content.render({ content, channel, provider: channel, data, profile: { locale: "en" }, context })
      if (Result.isFailure(rendered)) throw new Error(rendered.failure.detail)
    }
    done += batch
  }
  return done / (performance.now() - start) * 1000
}

/** How many messages a second can be rendered on one core, once their templates are parsed? */
export const render: Question = (quick) => {
  const [rounds, ms] = quick ? [2, 100] : [9, 1000]
  const measured = (what: string, content: Content.Input["content"], channel: string): Line => {
    rate(content, channel, ms / 2)
    const rates = Array.from({ length: rounds }, () => rate(content, channel, ms))
    const { max, median, min } = spread(rates)
    return {
      question: "render",
      what,
      value: median,
      unit: "/s",
      spread: { median, min, max },
      note: `${Math.round(1e6 / median)} µs each`
    }
  }
  return Promise.resolve([
    measured("email of 7 elements, HTML and text", order, "email"),
    measured("the same for the inbox", order, "inbox"),
    measured("SMS of one line", code, "sms")
  ])
}
