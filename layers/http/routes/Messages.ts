import * as Group from "#layers/http/Group.ts"
import { messageId } from "#layers/http/Ids.ts"
import { outputReply } from "#layers/http/OutputReply.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { fromStored, json } from "#layers/http/StoredReply.ts"
import { NotCancelable } from "#schemas/api/Messages.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Cancel from "#src/delivery/Cancel.ts"
import { Intake } from "#src/delivery/Intake.ts"
import { Providers } from "#src/delivery/Providers.ts"
import * as LoadedProfile from "#src/reports/LoadedProfile.ts"
import { details, isAmbiguous, providers } from "#src/reports/MessageDetails.ts"
import * as MessageFilters from "#src/reports/MessageFilters.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as OutputParts from "#src/reports/OutputParts.ts"
import * as Timeline from "#src/reports/Timeline.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /messages. */
export const layer = Group.layer(Effect.gen(function*() {
  const log = yield* MessageLog
  const intake = yield* Intake
  const cancel = yield* Cancel.make
  const loaded = yield* LoadedProfile.make
  const installed = yield* Providers

  return HttpApiBuilder.group(Served, "messages", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { grant, scope } = yield* CurrentPrincipal
        const configured = MessageFilters.namesProviders(query) ? yield* installed.configured(scope) : []
        const page = yield* log.list(scope, MessageFilters.query(query, configured, grant))
        return { paging: pagingOf(page), results: page.items.map(details) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const id = yield* messageId(params.message_id)
        const [record, attempts] = yield* Effect.all([log.get(scope, id), log.attempts(scope, id)])
        const events = isAmbiguous(record, attempts) ? yield* log.history(scope, id) : []
        return { ...details(record), providers: providers(record, attempts, events) }
      }, refusals),
      history: Effect.fnUntraced(function*({ params, query }) {
        const { grant, scope } = yield* CurrentPrincipal
        const id = yield* messageId(params.message_id)
        const events = (yield* log.history(scope, id)).filter(({ type }) =>
          query.type === undefined || type === query.type
        )
        const record = yield* log.get(scope, id)
        const original = yield* log.original(scope, id)
        const shown = grant === undefined
          ? Timeline.forCaller(original, yield* loaded(scope, original, record))
          : Timeline.forUser(original)
        return { results: Timeline.entries(events, record, shown) }
      }, refusals),
      output: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const id = yield* messageId(params.message_id)
        return { results: Timeline.outputs(yield* log.history(scope, id)) }
      }, refusals),
      part: Effect.fnUntraced(function*({ params: { message_id, output_id: outputId, part } }) {
        const { scope } = yield* CurrentPrincipal
        const id = yield* messageId(message_id)
        const found = OutputParts.find(yield* log.history(scope, id), outputId, part)
        return found === undefined ? yield* new OutputParts.OutputNotFound({ id, outputId, part }) : outputReply(found)
      }, refusals),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const { canceled, record } = yield* refusals(
          Effect.flatMap(messageId(params.message_id), (id) => cancel(scope, id))
        )
        if (canceled) return details(record)
        return yield* new NotCancelable({
          ...details(record),
          message: `A message that is ${record.status} cannot be cancelled`
        })
      }),
      resend: Effect.fnUntraced(function*({ params }) {
        const principal = yield* CurrentPrincipal
        const id = yield* messageId(params.message_id)
        return fromStored(yield* intake.resend(principal, id, (resent) => json(200, { messageId: resent })))
      }, refusals)
    }))
}))
