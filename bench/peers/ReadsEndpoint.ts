import { Paging } from "#schemas/api/Paging.ts"
import { TopicPreference } from "#schemas/api/UserPreferences.ts"
import { Profile, UserId } from "#schemas/Profile.ts"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Config, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { createServer } from "node:http"
import * as People from "../People.ts"

const params = { user_id: UserId }

class Api extends HttpApi.make("peer").add(
  HttpApiGroup.make("reads").add(
    HttpApiEndpoint.get("profile", "/profiles/:user_id", {
      disableCodecs: true,
      params,
      success: Schema.Struct({ profile: Profile })
    }),
    HttpApiEndpoint.get("preferences", "/users/:user_id/preferences", {
      disableCodecs: true,
      params,
      success: Schema.Struct({ items: Schema.Array(TopicPreference), paging: Paging })
    })
  )
) {}

const items = People.topics.map(({ name }): typeof TopicPreference.Type => ({
  topic_id: "pt_00000000000000000000000000",
  topic_name: name,
  status: "OPTED_IN",
  default_status: "OPTED_IN",
  has_custom_routing: false,
  custom_routing: [],
  section_id: "ps_00000000000000000000000000",
  section_name: People.section.name
}))

// Looks nothing up, to show what Effect's HTTP stack alone can do with these paths and replies.
const handlers = HttpApiBuilder.group(Api, "reads", (handlers) =>
  handlers
    .handle("profile", ({ params }) => Effect.succeed({ profile: People.profile(params.user_id) }))
    .handle("preferences", () => Effect.succeed({ items, paging: { more: false } })))

HttpRouter.serve(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(handlers),
    Layer.merge(HttpRouter.add("GET", "/health/ready", HttpServerResponse.text("ready")))
  ),
  { disableLogger: true, disableListenLog: true }
).pipe(
  Layer.provide(NodeHttpServer.layerConfig(createServer, { port: Config.Port("PORT") })),
  Layer.launch,
  NodeRuntime.runMain
)
