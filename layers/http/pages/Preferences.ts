import * as Answers from "#layers/http/pages/Answers.ts"
import { document, type Look } from "#layers/http/pages/Document.ts"
import { type Html, html } from "#layers/http/pages/Html.ts"
import type { PreferenceChannel } from "#schemas/Preferences.ts"
import { paths } from "#src/people/PreferenceLinks.ts"
import { PreferencePage, type ShownPage, type ShownTopic, type Wish } from "#src/people/PreferencePage.ts"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"

const channelNames: Readonly<Record<PreferenceChannel, string>> = {
  direct_message: "Direct message",
  email: "E-mail",
  push: "Push",
  sms: "SMS",
  webhook: "Webhook",
  inbox: "In the app"
}

const checked = (isChecked: boolean): Html | undefined => isChecked ? html` checked` : undefined

const channelChoice = ({ channels, id, name }: ShownTopic): Html =>
  html`<div class="channels" role="group" aria-label="Channels of ${name}">
${
    channels.map(({ channel, isChosen }) =>
      html`<label><input type="checkbox" name="channel" value="${id} ${channel}"${checked(isChosen)}> ${
        channelNames[channel]
      }</label>
`
    )
  }</div>`

const row = (topic: ShownTopic, number: string): Html => {
  const { channels, description, id, name, status } = topic
  const isRequired = status === "REQUIRED"
  const hint = [description, isRequired ? "Always sent." : undefined].filter((text) => text !== undefined).join(" ")
  return html`<fieldset>
<legend>${name}</legend>
<input type="hidden" name="topic" value="${id}">
<label class="topic"><input type="checkbox" name="in" value="${id}"${checked(status !== "OPTED_OUT")}${
    isRequired ? html` disabled` : undefined
  }${hint === "" ? undefined : html` aria-describedby="hint-${number}"`}> ${name}</label>
${hint === "" ? undefined : html`<p class="soft" id="hint-${number}">${hint}</p>`}
${channels.length === 0 ? undefined : channelChoice(topic)}
</fieldset>
`
}

const view = (page: ShownPage, look: Look | undefined, isSaved: boolean) => {
  const title = page.heading ?? "Notification preferences"
  return document({
    title,
    look,
    body: html`<h1>${title}</h1>
${page.description === undefined ? undefined : html`<p>${page.description}</p>`}
${isSaved ? html`<p class="said" role="status">Your choices are saved.</p>` : undefined}
${
      page.sections.length === 0 ? html`<p>There is nothing to choose.</p>` : html`<form method="post">
${
        page.sections.map(({ name, topics }, section) =>
          html`<h2>${name}</h2>
${topics.map((topic, index) => row(topic, `${section}-${index}`))}`
        )
      }<div class="save"><button>Save</button></div>
</form>`
    }`
  })
}

/** The reader's choice for each topic that the form showed. */
const wishes = (fields: URLSearchParams): ReadonlyArray<Wish> => {
  const isIn = new Set(fields.getAll("in"))
  const channels = Map.groupBy(fields.getAll("channel").map((text) => text.split(" ")), ([topicId]) => topicId)
  return fields.getAll("topic").map((topicId) => ({
    topicId,
    isIn: isIn.has(topicId),
    channels: new Set(channels.get(topicId)?.map(([, channel = ""]) => channel))
  }))
}

/**
 * /t/preferences/:token (ours; api.md 25.5): GET shows what a user chose of the published topics, POST saves the page's
 * form.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const preferences = yield* PreferencePage
  const { look, lookOf, submit } = yield* Answers.make
  const shown = Effect.fnUntraced(function*(page: ShownPage, isSaved: boolean) {
    return view(page, yield* lookOf(page.scope, page.brandId), isSaved)
  })
  const path = `${paths.preferences}/:token` as const
  yield* router.add("GET", path, look((token) => Effect.flatMap(preferences.look(token), (page) => shown(page, false))))
  yield* router.add(
    "POST",
    path,
    submit(
      preferences.look,
      (token, fields) => Effect.flatMap(preferences.choose(token, wishes(fields)), (page) => shown(page, true))
    )
  )
}))
