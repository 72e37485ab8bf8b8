import * as Settings from "#layers/settings/Settings.ts"
import { longestSecret } from "#src/access/KeyText.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { availableParallelism } from "node:os"

const settings = (variables: Readonly<Record<string, string>>) =>
  Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))))

describe("settings (design.md §6)", () => {
  it.effect("what is unset is as layers/README.md says", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual({ ...yield* Settings.Settings }, {
        port: 3000,
        databaseUrl: undefined,
        dataDir: "./.tidings",
        durability: "disk",
        bootstrapSecret: undefined,
        accountEmail: "ops@example.com",
        secretKey: undefined,
        shards: 64,
        brandLimit: undefined,
        publicUrl: undefined,
        tracked: { clicks: false, opens: false },
        corsOrigins: [],
        redisUrl: undefined,
        rateLimits: "",
        clusterHost: "127.0.0.1",
        clusterPort: 23_000,
        followsPort: true,
        workers: 0,
        worker: undefined,
        retentionDays: undefined,
        auditRetentionDays: undefined
      })
    }).pipe(Effect.provide(settings({}))))

  it.effect("a worker starts no workers; the first one has its node's cluster port, the others the next ones", () =>
    Effect.gen(function*() {
      for (const [port, variables] of [[23_001, {}], [7_001, { TIDINGS_CLUSTER_PORT: "7000" }]] as const) {
        const followsPort = !("TIDINGS_CLUSTER_PORT" in variables)
        const seen = yield* Settings.Settings.pipe(
          Effect.provide(settings({ DATABASE_URL: "postgres://host", TIDINGS_WORKERS: "3", ...variables })),
          Effect.provideService(Settings.WorkerNumber, 2)
        )
        assert.deepInclude(seen, { worker: 2, workers: 0, clusterPort: port, followsPort })
      }
    }))

  it.effect("with a database that it can share, a server has one worker unless it is told otherwise", () =>
    Effect.gen(function*() {
      const workers = (variables: Readonly<Record<string, string>>) =>
        Effect.map(Effect.provide(Settings.Settings, settings(variables)), ({ workers }) => workers)
      const DATABASE_URL = "postgres://host"
      assert.strictEqual(yield* workers({ DATABASE_URL }), availableParallelism() > 1 ? 1 : 0)
      assert.strictEqual(yield* workers({ DATABASE_URL, TIDINGS_WORKERS: "0" }), 0)
    }))

  it.effect("every fault has a line of its own, which names the variable without its value", () =>
    Effect.gen(function*() {
      const wrong = {
        PORT: "65536",
        TIDINGS_CORS_ORIGINS: "https://canary/path",
        TIDINGS_PUBLIC_URL: "https://canary?x=1",
        TIDINGS_TRACKING: "clicks,canary",
        DATABASE_URL: "mysql://canary",
        REDIS_URL: "http://canary",
        TIDINGS_RATE_LIMITS: "canary=1",
        TIDINGS_DURABILITY: "canary",
        TIDINGS_BOOTSTRAP_SECRET: "canary",
        TIDINGS_ACCOUNT_EMAIL: "canary",
        TIDINGS_SECRET_KEY: "canary",
        TIDINGS_SHARDS: "1025",
        TIDINGS_BRAND_LIMIT: "0",
        TIDINGS_CLUSTER_HOST: "http://canary",
        TIDINGS_CLUSTER_PORT: "canary",
        TIDINGS_WORKERS: "65",
        TIDINGS_RETENTION_DAYS: "0",
        TIDINGS_AUDIT_RETENTION_DAYS: "36501",
        SMTP_URL: "smtp://mail.canary.example",
        TWILIO_ACCOUNT_SID: "canary",
        TWILIO_AUTH_TOKEN: "\tcanary",
        TWILIO_FROM: "\tcanary",
        HTTPS_PROXY: "socks5://canary",
        HTTP_PROXY: "http://user:can#ary@proxy",
        OTEL_BSP_SCHEDULE_DELAY: "canary"
      }
      const { message } = yield* Effect.flip(Effect.scoped(Layer.build(settings(wrong))))
      assert.notInclude(message, "canary")
      assert.sameMembers(message.split("\n").map((line) => line.split(" ")[0]), Object.keys(wrong))
      const { message: alone } = yield* Effect.flip(Effect.scoped(Layer.build(settings({ TIDINGS_WORKERS: "1" }))))
      assert.include(alone, "needs DATABASE_URL")
    }))

  it.effect.prop(
    "a text with a control character, such as a Windows line's end, is refused in a sentence without it",
    { control: Schema.Literals(["\r", "\n", "\0", "\x1b", "\x7f", "\x85"]) },
    ({ control }) =>
      Effect.gen(function*() {
        const texts = {
          DATABASE_URL: "postgres://host/canary",
          TIDINGS_DATA_DIR: "/canary",
          TIDINGS_ACCOUNT_EMAIL: "canary@example.com",
          TIDINGS_SECRET_KEY: `${"c".repeat(43)}=`
        }
        const ended = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, `${text}${control}`]))
        const { message } = yield* Effect.flip(Effect.scoped(Layer.build(settings(ended))))
        assert.sameMembers(
          message.split("\n"),
          Object.keys(texts).map((name) => `${name} has a control character in it, such as the end of a Windows line`)
        )
        yield* Effect.scoped(Layer.build(settings(texts)))
      })
  )

  it.effect("a secret part of keys that are longer than any that is looked up is refused: they would open nothing", () =>
    Effect.gen(function*() {
      const ofLength = (length: number) => settings({ TIDINGS_BOOTSTRAP_SECRET: "x".repeat(length) })
      for (const length of [32, longestSecret]) yield* Effect.scoped(Layer.build(ofLength(length)))
      for (const length of [31, longestSecret + 1, 2_000]) {
        assert.strictEqual(
          (yield* Effect.flip(Effect.scoped(Layer.build(ofLength(length))))).message,
          `TIDINGS_BOOTSTRAP_SECRET must be 32 to ${longestSecret} letters, digits, - or _`
        )
      }
    }))

  it.effect("what is tracked of readers needs an address at which they reach the server", () =>
    Effect.gen(function*() {
      const of = (TIDINGS_TRACKING: string, more = {}) =>
        Effect.scoped(Layer.build(settings({ TIDINGS_TRACKING, ...more })))
      const sentence = "TIDINGS_TRACKING must be clicks, opens or both, between commas, and needs TIDINGS_PUBLIC_URL"
      assert.strictEqual((yield* Effect.flip(of("clicks"))).message, sentence)
      assert.strictEqual(
        (yield* Effect.flip(of("reads", { TIDINGS_PUBLIC_URL: "https://a.example" }))).message,
        sentence
      )
      for (const text of ["clicks", " opens ,clicks", ""]) yield* of(text, { TIDINGS_PUBLIC_URL: "https://a.example" })
      yield* of("")
    }))

  it.effect("half of a Twilio account is told by what it lacks", () =>
    Effect.gen(function*() {
      const halves = {
        TWILIO_AUTH_TOKEN: { TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}` },
        TWILIO_ACCOUNT_SID: { TWILIO_AUTH_TOKEN: "canary" }
      }
      for (const [lacking, half] of Object.entries(halves)) {
        const { message } = yield* Effect.flip(Effect.scoped(Layer.build(settings(half))))
        assert.strictEqual(message, `${lacking} must be set beside ${Object.keys(half)[0]}`)
      }
      yield* Effect.scoped(Layer.build(settings({ TWILIO_FROM: "+15005550006" })))
    }))

  it("a name that looks like a setting and is none is misspelt", () => {
    const names = ["TIDINGS_SHARD", "TIDINGS_SHARDS", "TIDINGS_URL", "TIDINGS_API_KEY", "TIDINGS_toString", "PATH"]
    assert.deepStrictEqual(Settings.misspelt(names), ["TIDINGS_SHARD", "TIDINGS_toString"])
    assert.deepStrictEqual(Settings.misspelt(["OTEL_PROPAGATORS", "OTEL_SERVICE_NAME"]), ["OTEL_PROPAGATORS"])
  })

  it("a name one slip away from a setting that is not there is misspelt, and other programs' names are not", () => {
    const slips = ["DATABASE_URI", "DATABASE_ULR", "DATABSE_URL", "database_url", "REDIS_URLS", "TWILIO_AUTHTOKEN"]
    const others = [
      "DATABASE_URL_TEST",
      "DATABASE_NAME",
      "SMTP_HOST",
      "SMTP_PORT",
      "SMTP_SSL",
      "TWILIO_API_KEY",
      "URL",
      ""
    ]
    assert.deepStrictEqual(Settings.misspelt([...slips, ...others]), slips)
    assert.deepStrictEqual(Settings.misspelt(["DATABASE_URL", "DATABASE_URI", "SMTP_URL"]), [])
  })

  it.effect("networks that webhooks may reach are read before anything starts, and refused in one line", () =>
    Effect.gen(function*() {
      for (const networks of ["localhost", "127.0.0.1/8", "10.0.0.0/8,x"]) {
        const { message } = yield* Effect.flip(
          Effect.scoped(Layer.build(settings({ TIDINGS_OUTBOUND_ALLOW: networks })))
        )
        assert.strictEqual(
          message,
          "TIDINGS_OUTBOUND_ALLOW must be networks such as 10.1.0.0/16, between commas, with no bit set after the prefix"
        )
      }
      for (const networks of ["", "10.1.0.0/16", "10.1.0.0/16, fd00::/8"])
        yield* Effect.scoped(Layer.build(settings({ TIDINGS_OUTBOUND_ALLOW: networks })))
    }))

  it.effect("origins whose pages may call the API are whole origins, or all", () =>
    Effect.gen(function*() {
      const of = (TIDINGS_CORS_ORIGINS: string) =>
        Effect.map(Effect.provide(Settings.Settings, settings({ TIDINGS_CORS_ORIGINS })), ({ corsOrigins }) =>
          corsOrigins)
      assert.deepStrictEqual(yield* of("https://a.example, http://localhost:8080,"), [
        "https://a.example",
        "http://localhost:8080"
      ])
      assert.deepStrictEqual(yield* of("*"), ["*"])
      for (const wrong of ["a.example", "https://a.example/", "https://*.a.example/x", "null"]) {
        assert.include((yield* Effect.flip(of(wrong))).message, "TIDINGS_CORS_ORIGINS must be origins")
      }
    }))

  it.effect("a database's or Redis's URL that cannot be one is refused before anything of its password is taken for a host", () =>
    Effect.gen(function*() {
      const faultOf = (variables: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(Effect.scoped(Layer.build(settings(variables)))), ({ message }) => message)
      for (
        const rest of [
          "://u:a@b#c@host/x",
          "://u:a@b/c@host/x",
          "://u:a/b@host/x",
          "://u:a#b@host",
          "://host:99999/x",
          "://u:a%zz@host/x",
          "://u%:a@host/x",
          "://host/%zz"
        ]
      ) {
        assert.strictEqual(
          yield* faultOf({ DATABASE_URL: `postgres${rest}` }),
          "DATABASE_URL must be a postgres:// URL, its password percent-encoded; TLS is sslmode=require, not ssl=true"
        )
        assert.strictEqual(
          yield* faultOf({ REDIS_URL: `redis${rest}` }),
          "REDIS_URL must be a redis:// or rediss:// URL, its password percent-encoded; its path, if it has one, is a database's number"
        )
      }
      for (const asked of ["ssl=true", "sslmode=on", "SSLMODE=require"])
        assert.include(yield* faultOf({ DATABASE_URL: `postgres://host/x?${asked}` }), "TLS is sslmode=require")
      for (
        const DATABASE_URL of [
          "",
          "postgresql://host",
          "postgres:///x?host=/run/postgresql",
          "postgres://host/x?sslmode=verify-full&sslrootcert=system",
          "postgres://u:a%23b%2Fc%40@host:5432/x?sslmode=require",
          "postgres://%2Frun%2Fpostgresql/x"
        ]
      )
        yield* Effect.scoped(Layer.build(settings({ DATABASE_URL, REDIS_URL: "rediss://:a%23b@host:6380/1" })))
    }))

  it.effect("where nodes reach each other is a host name or an address, and no URL", () =>
    Effect.gen(function*() {
      const hostOf = (TIDINGS_CLUSTER_HOST: string) =>
        Effect.map(Effect.provide(Settings.Settings, settings({ TIDINGS_CLUSTER_HOST })), (seen) => seen.clusterHost)
      for (
        const host of ["node-1", "tidings_node_1", "a.b.example.", "münchen.example", "10.0.0.7", "fd00::7", "::1"]
      ) {
        assert.strictEqual(yield* hostOf(host), host)
      }
      for (
        const wrong of [
          "http://node-1",
          "node-1:4000",
          "[fd00::7]",
          "node 1",
          "u@node-1",
          "-node",
          "a..b",
          "*",
          "0.0.0.0",
          "::"
        ]
      ) {
        assert.strictEqual(
          (yield* Effect.flip(hostOf(wrong))).message,
          "TIDINGS_CLUSTER_HOST must be a host name or an IP address where the other nodes reach this one, no scheme or port",
          wrong
        )
      }
    }))

  it.effect("a cluster port that leaves none for a worker is refused: the worker would be started again for ever", () =>
    Effect.gen(function*() {
      const variables = { DATABASE_URL: "postgres://host", TIDINGS_CLUSTER_PORT: "65534" }
      yield* Effect.scoped(Layer.build(settings({ ...variables, TIDINGS_WORKERS: "2" })))
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(Layer.build(settings({ ...variables, TIDINGS_WORKERS: "3" }))))).message,
        "TIDINGS_CLUSTER_PORT must be a port number other than PORT, with one more after it for each further one of TIDINGS_WORKERS"
      )
    }))
})
