/**
 * From so many days on, statements are planned for the values that they are executed with, and for no others. Such plans
 * are the cheaper ones by then, but to find that out, Postgres plans each statement of each session once for any values:
 * that opens all days with their indexes, and after some years they are more than there is room for locks of (53200).
 */
const manyDays = 60

/** SQL: a row if there are so many. */
export const some = `select 1 from pg_inherits where inhparent = to_regclass('messages') offset ${manyDays - 1} limit 1`

/** SQL: has a session plan so. */
export const planning = "set plan_cache_mode = force_custom_plan"
