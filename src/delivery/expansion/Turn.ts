import * as Begin from "#src/delivery/expansion/Begin.ts"
import type { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as BulkPage from "#src/delivery/bulk/Page.ts"
import * as Expansion from "#src/delivery/Expansion.ts"
import {
  type Advance,
  type Advanced,
  type Expansions,
  longestPause,
  type Page
} from "#src/delivery/expansion/Expansions.ts"
import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { Reader } from "#src/delivery/shards/Reader.ts"
import type { Owner } from "#src/delivery/shards/Owned.ts"
import * as Paging from "#src/delivery/expansion/Paging.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import { maxTries } from "#src/delivery/shards/Quarantine.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Members, MembersUncounted } from "#src/people/Members.ts"
import { GroupRefused } from "#src/delivery/intake/Groups.ts"
import { RowRefused } from "#src/delivery/Journal.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Cause, Clock, Effect, Metric, type Scope } from "effect"

/**
 * Pauses in ms: after a try that failed, 5 s doubling; where the store did not say who the members are; while they are
 * counted.
 */
const pauseAfter = (tries: number): number => Math.min(longestPause, 5_000 * 2 ** tries)
const pauseUnread = 2_000
const pauseUncounted = 500

/** What became of a step: the row as it stands now, or nothing more to do for this owner and turn. */
export type After = Expansion.OpenExpansion | "over" | "fenced"

/** How a turn ends with a write that made no messages. */
const endOf = ({ _tag }: Advanced): "over" | "fenced" => _tag === "Fenced" ? "fenced" : "over"

/** A page that is made and not yet written. */
export interface Made {
  /** Pages are written one after the other; the next may be made before this one is. */
  readonly commit: Effect.Effect<After, StoreUnavailable>
  /**
   * The row as the commit will leave it, from which the next page can be made before; `undefined`: there is no next
   * page, or it has to wait for the commit.
   */
  readonly next: Expansion.OpenExpansion | undefined
  /** Messages that it has at most. */
  readonly size: number
  /** Whose turns its messages take. */
  readonly turns: ReadonlySet<string>
}

/** The end of a turn, without a page. */
export const ended = (commit: Made["commit"]): Made => ({ commit, next: undefined, size: 0, turns: new Set() })

const turnsOf = ({ common: { scope }, members }: Page): ReadonlySet<string> =>
  new Set([...new Set(members.map(({ tenantId }) => tenantId))].map((tenantId) => turnOf({ scope, tenantId })))

/** What a caller is told of a page that could not be made; the log tells the rest. */
const said = (error: unknown): string => {
  if (error instanceof GroupRefused) return `${error.path}: ${error.detail}`
  if (error instanceof RowRefused) return "One of its messages holds a value that cannot be stored"
  return "Its messages could not be made"
}

/** The steps of one expansion under its owner's epoch; each is one commit. */
export const make = (options: {
  readonly expansions: Expansions["Service"]
  readonly members: Members["Service"]
  readonly jobs: Jobs["Service"]
  readonly shards: number
  readonly firsts: FirstSteps["Service"]
  readonly reader: Pick<Reader, "begin" | "behind">
}) => {
  const { expansions, jobs, members, reader, shards } = options
  const begun = Begin.make(options)
  /**
   * The decoded payload of a row whose page is still to come: tens of thousands of recipients are parsed once for each
   * turn, and not once for each page.
   */
  const read = new WeakMap<Expansion.OpenExpansion, Effect.Success<ReturnType<typeof Expansion.decode>>>()
  const rows = (advance: Advance) => Effect.ensuring(expansions.advance(advance), Effect.sync(reader.behind))

  /** Writes the row without messages and without moving its place. */
  const mark = Effect.fnUntraced(function*(
    owner: Owner,
    row: Expansion.OpenExpansion,
    change: Pick<Advance, "tries" | "epoch" | "state" | "error"> & { readonly pause: number | null }
  ) {
    const { pause, ...columns } = change
    const at = yield* Clock.currentTimeMillis
    return yield* expansions.advance({
      ...columns,
      expansion: row,
      owner: owner.epoch,
      at,
      from: row.place,
      to: row.place,
      page: undefined,
      dueAt: pause === null ? null : pause === 0 ? 0 : at + pause
    }).pipe(
      // Nothing that a caller said is written, so no row can be refused.
      Effect.catchTag("RowRefused", Effect.die)
    )
  })

  const fail = Effect.fnUntraced(function*(owner: Owner, row: Expansion.OpenExpansion, cause: Cause.Cause<unknown>) {
    yield* Effect.logError("a page of an expansion could not be made", { requestId: row.id }, cause)
    const error = said(Cause.squash(cause))
    const { tries } = row
    return endOf(yield* mark(owner, row, { tries, epoch: 0, state: "RUNNING", error, pause: pauseAfter(tries) }))
  })

  /**
   * The store did not answer who the members are, or does not know yet. That is no fault of the request, whose try goes
   * on, but may be its alone: it steps aside for those behind it. If the store is away altogether, this cannot be
   * written either.
   */
  const stepAside = Effect.fnUntraced(function*(
    owner: Owner,
    row: Expansion.OpenExpansion,
    error: MembersUncounted | StoreUnavailable
  ): Effect.fn.Return<After, StoreUnavailable> {
    const { epoch, tries } = row
    const isUncounted = error._tag === "MembersUncounted"
    const pause = isUncounted ? pauseUncounted : pauseUnread
    const marked = yield* mark(owner, row, { tries, epoch, state: "RUNNING", pause })
    if (!isUncounted) {
      yield* Effect.logWarning("the members of a request to many cannot be read", { requestId: row.id }, error)
    }
    return endOf(marked)
  })

  /** The row waits so long (ms), as it is given: its next page has no room. */
  const wait = Effect.fnUntraced(function*(
    owner: Owner,
    row: Expansion.OpenExpansion,
    pause: number
  ): Effect.fn.Return<After, StoreUnavailable> {
    const { epoch, tries } = row
    return endOf(yield* mark(owner, row, { tries, epoch, state: "RUNNING", pause }))
  })

  /**
   * Counts a try before it begins, so that one that kills its process is found out: a page clears the count, and after
   * five tries without one the expansion is set aside, visibly.
   */
  const begin = Effect.fnUntraced(function*(
    owner: Owner,
    row: Expansion.OpenExpansion
  ): Effect.fn.Return<After, StoreUnavailable> {
    if (row.tries >= maxTries) {
      const error = `Quarantined: it failed in each of ${maxTries} tries`
      const marked = yield* mark(owner, row, { tries: row.tries, epoch: 0, state: "FAILED", error, pause: null })
      if (marked._tag !== "Written") return endOf(marked)
      yield* Effect.logError("an expansion was set aside", { requestId: row.id })
      yield* Metric.update(Metrics.expansionsQuarantined, 1)
      return "over"
    }
    const begun = { ...row, tries: row.tries + 1, epoch: owner.epoch }
    const { epoch, tries } = begun
    const marked = yield* mark(owner, row, { tries, epoch, state: "RUNNING", pause: 0 })
    return marked._tag === "Written" ? begun : endOf(marked)
  })

  const make = Effect.fnUntraced(function*(owner: Owner, row: Expansion.OpenExpansion, open: number) {
    const { instructions, place, recipients } = read.get(row) ?? (yield* Expansion.decode(row))
    const at = yield* Clock.currentTimeMillis
    const most = Paging.sizeOf(row.instructions, yield* Paging.PageSize)
    const size = open === 0 ? most : Math.min(open, most)
    const page = { request: { ...row, instructions }, place, at, shards, size }
    const made = "bulk_job_id" in recipients
      ? yield* BulkPage.next({ ...page, job: recipients.bulk_job_id, locale: recipients.locale, jobs })
      : yield* Paging.next({ ...page, recipients, members })
    const advance = {
      expansion: row,
      owner: owner.epoch,
      at,
      from: row.place,
      to: Expansion.encodePlace(made.reached),
      page: made.page,
      tries: 0,
      epoch: owner.epoch,
      state: made.isLast ? "COMPLETED" as const : "RUNNING" as const,
      error: made.reached.fault ?? null,
      dueAt: made.isLast ? null : 0
    }
    const next = made.isLast ? undefined : { ...row, place: advance.to, tries: 0 }
    if (next !== undefined) read.set(next, { instructions, place: made.reached, recipients })
    const write = open === 0 ? rows(advance) : yield* begun(advance)
    const commit = Effect.gen(function*(): Effect.fn.Return<After, RowRefused | StoreUnavailable> {
      const advanced = yield* write
      if (advanced._tag !== "Written") return endOf(advanced)
      yield* Metric.update(Metrics.accepted, advanced.created)
      yield* Metric.update(Metrics.expanded, advanced.created)
      return next ?? "over"
    })
    return { commit, next, size, turns: turnsOf(made.page) }
  })

  /**
   * Makes the next page, of which `open` messages may begin before they are stored. One that cannot be made fails the
   * try, not the owner: only a store that cannot be written is the caller's to wait for.
   */
  const page = (owner: Owner, row: Expansion.OpenExpansion, open: number): Effect.Effect<Made, never, Scope.Scope> => {
    const failed = (cause: Cause.Cause<unknown>) => fail(owner, row, cause)
    const unmade = (cause: Cause.Cause<unknown>) => Effect.succeed(ended(failed(cause)))
    return make(owner, row, open).pipe(
      Effect.map((made) => ({
        ...made,
        commit: made.commit.pipe(
          Effect.catchTag("RowRefused", (error) => failed(Cause.fail(error))),
          Effect.catchDefect((defect) => failed(Cause.die(defect)))
        )
      })),
      Effect.catchTag(["SchemaError", "GroupRefused"], (error) => unmade(Cause.fail(error))),
      Effect.catchTag(
        ["MembersUncounted", "StoreUnavailable"],
        (error) => Effect.succeed(ended(stepAside(owner, row, error)))
      ),
      Effect.catchDefect((defect) => unmade(Cause.die(defect)))
    )
  }

  return { begin, page, wait }
}
