/**
 * The table in which Effect's cluster lists its runners: the nodes of this database, or their engine workers. It is not
 * there before the first start of a node that may have others beside it.
 */
export const table = "cluster_runners"

/** SQL: when a runner was last heard of, in epoch ms. The column has no time zone: it is in the session's. */
export const heardAt = "(extract(epoch from last_heartbeat at time zone current_setting('TimeZone')) * 1000)"
