import { Client } from "pg"

/** The database that BENCH_DATABASE_URL names, on whose server the runs create theirs. */
export const base = process.env["BENCH_DATABASE_URL"] ?? "postgres://root@127.0.0.1:5432/test"

/** The Redis of the BullMQ peers. */
export const redisUrl = process.env["BENCH_REDIS_URL"] ?? "redis://127.0.0.1:6379"

/** A database made for one run. */
export interface Database {
  readonly url: string
  /** The number in the first column of the first row. */
  count(query: string): Promise<number>
  drop(): Promise<void>
}

/** Runs `use` on a connection of its own. */
export const withClient = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Creates an empty database on the server that BENCH_DATABASE_URL names. */
export const create = async (): Promise<Database> => {
  const name = `tidings_bench_${process.pid}_${process.hrtime.bigint().toString(36)}`
  const url = new URL(base)
  url.pathname = `/${name}`
  await withClient(base, (client) => client.query(`create database ${name}`))
  return {
    url: url.href,
    count: (query) =>
      withClient(url.href, async (client) => {
        const { rows } = await client.query<Array<string>>({ text: query, rowMode: "array" })
        return Number(rows[0]?.[0])
      }),
    drop: () => withClient(base, async (client) => void await client.query(`drop database ${name} with (force)`))
  }
}

export const withDatabase = async <A>(use: (database: Database) => Promise<A>): Promise<A> => {
  const database = await create()
  try {
    return await use(database)
  } finally {
    await database.drop()
  }
}

/** Flushes the pages that the previous contender left dirty, so that the next one does not pay for them. */
export const checkpoint = (): Promise<void> => withClient(base, async (client) => void await client.query("checkpoint"))
