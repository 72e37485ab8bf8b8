import * as Settings from "#layers/settings/Settings.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"

const settings = (variables: Readonly<Record<string, string>>) =>
  Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))))

describe("a setting that would be taken for something else than is meant is refused", () => {
  it.effect("what no log would show is refused: a blank around a path is part of it, and names another directory", () =>
    Effect.gen(function*() {
      for (const path of [" ", "/data ", "\u00a0/data", "~/data\u3000"]) {
        assert.strictEqual(
          (yield* Effect.flip(Effect.scoped(Layer.build(settings({ TIDINGS_DATA_DIR: path }))))).message,
          "TIDINGS_DATA_DIR must be a path that neither begins nor ends with a blank",
          path
        )
      }
      for (const email of ["ops@example.com ", " ops@example.com", "@", "ops @example.com"]) {
        assert.strictEqual(
          (yield* Effect.flip(Effect.scoped(Layer.build(settings({ TIDINGS_ACCOUNT_EMAIL: email }))))).message,
          "TIDINGS_ACCOUNT_EMAIL must be an e-mail address without blanks",
          email
        )
      }
      yield* Effect.scoped(Layer.build(settings({ TIDINGS_DATA_DIR: "/my data", TIDINGS_ACCOUNT_EMAIL: "a+b@c.d" })))
    }))

  it.effect("a path of REDIS_URL that is no database's number is refused: the client would die of it unheard", () =>
    Effect.gen(function*() {
      const of = (REDIS_URL: string) => Effect.scoped(Layer.build(settings({ REDIS_URL })))
      for (const path of ["abc", "1/2", "1.5", "-1", "%31"])
        assert.include((yield* Effect.flip(of(`redis://host/${path}`))).message, "a database's number", path)
      for (const path of ["", "/", "/0", "/15"]) yield* of(`redis://host${path}`)
    }))

  it.effect("what SMTP_URL says of TLS is true or false, and once", () =>
    Effect.gen(function*() {
      const of = (query: string) =>
        Effect.scoped(Layer.build(settings({ SMTP_URL: `smtp://host?from=a@b.example${query}` })))
      for (
        const query of ["&require_tls=0", "&require_tls=no", "&require_tls=", "&require_tls=True", "&from=c@d.example"]
      )
        assert.include((yield* Effect.flip(of(query))).message, "require_tls beside from is true or false", query)
      for (const query of ["", "&require_tls=true", "&require_tls=false"]) yield* of(query)
    }))

  it.effect("a cluster port that is the node's own PORT is refused: it would say that another process listens there", () =>
    Effect.gen(function*() {
      const of = (variables: Readonly<Record<string, string>>) =>
        Effect.scoped(Layer.build(settings({ PORT: "4001", DATABASE_URL: "postgres://host", ...variables })))
      for (
        const variables of [
          { TIDINGS_CLUSTER_PORT: "4001" },
          { TIDINGS_CLUSTER_PORT: "4001", TIDINGS_WORKERS: "0" },
          { TIDINGS_CLUSTER_PORT: "4000", TIDINGS_WORKERS: "2" }
        ]
      ) {
        assert.strictEqual(
          (yield* Effect.flip(of(variables))).message,
          "TIDINGS_CLUSTER_PORT must be a port number other than PORT, with one more after it for each further one of TIDINGS_WORKERS"
        )
      }
      for (
        const variables of [
          { TIDINGS_CLUSTER_PORT: "4000", TIDINGS_WORKERS: "1" },
          { TIDINGS_CLUSTER_PORT: "4002", TIDINGS_WORKERS: "2" },
          { TIDINGS_CLUSTER_PORT: "4001", DATABASE_URL: "" },
          { PORT: "0" },
          { PORT: "1", TIDINGS_WORKERS: "3" }
        ]
      ) yield* of(variables)
    }))
})
