import type { Page } from "#src/paging/Page.ts"

/** Items in a page of lists, subscriptions, audiences, members or a job's users: none of them takes a `limit`. */
export const pageSize = 100

/** Whether a page is the last one, as most lists tell it; `ObjectLists` are the others. */
export const pagingOf = ({ cursor }: Page<unknown>) => ({ more: cursor !== undefined, cursor })

/** Of a list that is always given whole. */
export const whole = { more: false, cursor: undefined } as const
