import { Redis } from "ioredis"
import * as Database from "./Database.ts"
import { serverFile } from "./Target.ts"

const postgres = () =>
  Database.withClient(Database.base, async (client) => {
    const { rows } = await client.query<Array<string>>({
      text: "select name || '=' || setting from pg_settings where name in"
        + " ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes') order by name",
      rowMode: "array"
    })
    return rows.flat().join(" ")
  })

const redis = async () => {
  const client = new Redis(Database.redisUrl)
  try {
    const [, save] = await client.config("GET", "save") as ReadonlyArray<string>
    const [, appendonly] = await client.config("GET", "appendonly") as ReadonlyArray<string>
    return `save="${save}" appendonly=${appendonly}`
  } finally {
    client.disconnect()
  }
}

/** What the numbers depend on: versions, durability, and the measured server if it is not this checkout's. */
export const describe = async (quick: boolean): Promise<string> =>
  [
    `Node ${process.versions.node}`,
    `Postgres ${await postgres()}`,
    `Redis ${await redis()}`,
    ...(process.env["BENCH_SERVER"] === undefined ? [] : [`NOT TIDINGS BUT ${serverFile}`]),
    ...(quick ? ["QUICK: a smoke test, no measurement"] : [])
  ].join("; ")
