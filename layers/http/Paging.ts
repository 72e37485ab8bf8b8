import type { Page } from "#src/paging/Page.ts"

/** Items per page of lists, subscriptions, audiences, members and a job's users, whose requests take no `limit`. */
export const pageSize = 100

/** The paging of a page as most lists show it; `ObjectLists` has the other form. */
export const pagingOf = ({ cursor }: Page<unknown>) => ({ more: cursor !== undefined, cursor })

/** The paging of a list that is always given whole. */
export const whole = { more: false, cursor: undefined } as const
