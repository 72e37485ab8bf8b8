import { once } from "node:events"
import { connect } from "node:net"

/** `url` when something listens there within 2 seconds. */
const reachable = async (url: string, defaultPort: number): Promise<string | undefined> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port || defaultPort), signal: AbortSignal.timeout(2000) })
  try {
    await once(socket, "connect")
    return url
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

const postgres = process.env["TEST_DATABASE_URL"] ?? "postgres://root@127.0.0.1:5432/test"
const redis = process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379"

const [postgresUrl, redisUrl] = await Promise.all([reachable(postgres, 5432), reachable(redis, 6379)])

/** Services that the integration suites need and that do not answer. */
export const missing: ReadonlyArray<string> = [
  ...postgresUrl === undefined ? [`Postgres (TEST_DATABASE_URL, ${new URL(postgres).host})`] : [],
  ...redisUrl === undefined ? [`Redis (TEST_REDIS_URL, ${new URL(redis).host})`] : []
]

/** The suites that cannot run here, as globs: all integration suites need Postgres, those in a `redis` folder Redis. */
export const skipped: ReadonlyArray<string> = [
  ...postgresUrl === undefined ? ["test/**/*.integration.test.ts"] : [],
  ...redisUrl === undefined ? ["test/**/redis/**/*.integration.test.ts"] : []
]
