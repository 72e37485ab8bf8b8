import * as Answers from "#layers/http/pages/Answers.ts"
import { document, type Look } from "#layers/http/pages/Document.ts"
import { type Html, html } from "#layers/http/pages/Html.ts"
import { paths } from "#src/people/PreferenceLinks.ts"
import { type Shown, Unsubscribing } from "#src/people/Unsubscribing.ts"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"

const button = (action: "resubscribe" | "unsubscribe", label: string): Html =>
  html`<form method="post"><button name="action" value="${action}">${label}</button></form>`

const topic = (name: string): Html => html`<strong>${name}</strong>`

/** What the page says of a topic, and the actions that it offers. `isDone`: the reader has just taken one. */
const said = ({ status, topicName }: Shown, isDone: boolean): { readonly title: string; readonly text: Html } => {
  if (status === "REQUIRED") {
    return {
      title: "These messages are required",
      text: html`<p>You cannot unsubscribe from ${topic(topicName)}, because its messages are required.</p>`
    }
  }
  if (status === "OPTED_OUT") {
    return {
      title: "You are unsubscribed",
      text: html`<p${role(isDone)}>You no longer get messages about ${topic(topicName)}.</p>
${button("resubscribe", "Subscribe again")}`
    }
  }
  return isDone
    ? {
      title: "You are subscribed again",
      text: html`<p role="status">You get messages about ${topic(topicName)}.</p>
${button("unsubscribe", "Unsubscribe")}`
    }
    : {
      title: "Unsubscribe?",
      text: html`<p>You will no longer get messages about ${topic(topicName)}.</p>
${button("unsubscribe", "Unsubscribe")}`
    }
}

const role = (isDone: boolean): Html | undefined => isDone ? html` role="status"` : undefined

const view = (shown: Shown, look: Look | undefined, isDone: boolean) => {
  const { text, title } = said(shown, isDone)
  return document({
    title,
    look,
    // The same status as the API's answer to such a request.
    status: isDone && shown.status === "REQUIRED" ? 400 : 200,
    body: html`<h1>${title}</h1>
${text}
<p><a href="../preferences/${shown.preferences}">All notification preferences</a></p>`
  })
}

/**
 * /t/unsubscribe/:token (ours; api.md 25.5). GET shows a page and changes nothing, whoever fetches it. POST opts out of
 * the topic, without a session: from the page's form, or as the one-click request of RFC 8058. `action=resubscribe`
 * reverts it.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const unsubscribing = yield* Unsubscribing
  const { look, lookOf, submit } = yield* Answers.make
  const shown = Effect.fnUntraced(function*(shown: Shown, isDone: boolean) {
    return view(shown, yield* lookOf(shown.scope, undefined), isDone)
  })
  const path = `${paths.unsubscribe}/:token` as const
  yield* router.add("GET", path, look((token) => Effect.flatMap(unsubscribing.look(token), (one) => shown(one, false))))
  yield* router.add(
    "POST",
    path,
    submit(unsubscribing.look, (token, fields) =>
      Effect.flatMap(
        unsubscribing.set(token, fields.get("action") === "resubscribe" ? "OPTED_IN" : "OPTED_OUT"),
        (one) => shown(one, true)
      ))
  )
}))
