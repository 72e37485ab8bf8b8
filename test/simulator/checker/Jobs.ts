import type { BulkJob, History } from "#layers/testing/History.ts"
import { type Facts, labelOf, type Row } from "./Facts.ts"

type User = BulkJob["users"][number]
type Person = Readonly<Record<string, unknown>>

/** Whom a user of a job is told by; `undefined`: nobody, or a group. */
const personOf = ({ profile, recipient, to }: User): string | undefined => {
  const said: Person = { ...profile, ...to, ...(recipient === undefined ? {} : { user_id: recipient }) }
  return "list_id" in said ? undefined : nameOf(said)
}

const nameOf = ({ email, phone_number: phone, user_id: user }: Person): string | undefined =>
  [user, email, phone].find((name) => typeof name === "string")

const storedIn = ({ stored }: History, { jobId, scope }: BulkJob) =>
  jobId === undefined ? undefined : stored.job(jobId, { environment: Number(scope) === 1 ? 1 : 2 })

/** Whether the job may have been run: somebody tried to. */
const mayHaveRun = ({ tries: { run } }: BulkJob): boolean => run.some(({ status }) => status !== 400 && status !== 404)

/** Whether a job with this label was run as this request, or may have been. */
export const asked = ({ history, jobsOf }: Facts, scope: number, label: string | undefined, requestId: string) =>
  jobsOf(label).some((job) => job.scope === scope && mayHaveRun(job) && storedIn(history, job)?.requestId === requestId)

const rowsOf = ({ history }: Facts, requestId: string | undefined): ReadonlyArray<Row> =>
  requestId === undefined ? [] : history.messages.filter((row) => row.requestId === requestId)

/**
 * I23: a bulk job that was run is one message to each of its users, however often one was named, and none to others; one
 * of which its caller was not told that it runs is so too, or is nothing.
 */
export const eachUserOnce = (facts: Facts): ReadonlyArray<string> =>
  facts.history.bulkJobs.flatMap((job) => {
    const label = labelOf(job)
    const stored = storedIn(facts.history, job)
    const rows = rowsOf(facts, job.requestId ?? stored?.requestId)
    if (job.requestId === undefined && rows.length === 0) return []
    const names = rows.map(({ recipient }) => nameOf(JSON.parse(recipient)) ?? "no name")
    const wanted = new Set(job.users.flatMap((user) => personOf(user) ?? []))
    return [
      ...(mayHaveRun(job) ? [] : [`I23: ${label} has ${rows.length} messages, and nobody ran it`]),
      ...[...wanted].flatMap((user) => {
        const count = names.filter((name) => name === user).length
        return count === 1 ? [] : [`I23: ${label} made ${count} messages for ${user}`]
      }),
      ...names.filter((name) => !wanted.has(name)).map((name) => `I23: ${label} made a message for ${name}`),
      ...rows.filter(({ scope, traceId }) => scope !== job.scope || traceId !== label).map(({ id }) =>
        `I23: ${id} of ${label} is another job's`
      )
    ]
  })

/** I23: what is told of a job is what became of it: how many users it has, how many of them have a message, and which. */
export const numbers = (facts: Facts): ReadonlyArray<string> =>
  facts.history.bulkJobs.flatMap((job) => {
    const label = labelOf(job)
    const stored = storedIn(facts.history, job)
    if (stored === undefined) {
      return job.jobId === undefined ? [] : [`I23: the job ${job.jobId} of ${label} was made, and is not there`]
    }
    if (!job.tries.add.some(({ status }) => status === 200)) return []
    const people = new Set(job.users.flatMap((user) => personOf(user) ?? []))
    const unsendable = new Set(
      job.users.filter((user) => personOf(user) === undefined).map((user) => JSON.stringify(user))
    )
    const rows = rowsOf(facts, stored.requestId)
    const ran = rows.length > 0
    const complete = people.size === 0 ? "ERROR" : "COMPLETED"
    const ids = new Set(rows.map(({ id }) => id as string))
    const told = stored.users.flatMap(({ messageId }) => messageId ?? [])
    const expected = [people.size + unsendable.size, unsendable.size, rows.length, job.users.length - people.size]
    const found = [stored.received, stored.failures, stored.enqueued, job.errors.length]
    return [
      ...(expected.join() === found.join()
        ? []
        : [
          `I23: ${label} is to have received, failed, enqueued and refused ${expected.join()}, and tells ${found.join()}`
        ]),
      ...(job.requestId === undefined || stored.status === complete
        ? []
        : [`I23: ${label} was run, and is ${stored.status}`]),
      ...(!ran || (told.length === ids.size && told.every((id) => ids.has(id)))
        ? []
        : [`I23: the users of ${label} are told other messages than they have`])
    ]
  })

const calls = ["create", "add", "run"] as const

/** I23: one job for each key, run as one request, and the same answer to each of its calls. */
export const oncePerKey = ({ history }: Facts): ReadonlyArray<string> => {
  const keyed = Map.groupBy(
    history.bulkJobs.filter(({ key }) => key !== undefined),
    ({ key, scope }) => `${scope} ${key}`
  )
  return [...keyed].flatMap(([key, jobs]) => {
    const made = new Set(jobs.flatMap(({ jobId }) => jobId ?? []))
    const ran = new Set(jobs.flatMap(({ requestId }) => requestId ?? []))
    const unlike = calls.filter((call) => {
      const answers = jobs.flatMap(({ tries }) => tries[call]).flatMap(({ body, status }) =>
        status === undefined || status === 503 ? [] : [`${status} ${body}`]
      )
      return new Set(answers).size > 1
    })
    return [
      ...(made.size > 1 || ran.size > 1 ? [`I23: ${key} became ${made.size} jobs and ${ran.size} requests`] : []),
      ...unlike.map((call) => `I23: ${key} was answered in several ways to ${call}`)
    ]
  })
}
