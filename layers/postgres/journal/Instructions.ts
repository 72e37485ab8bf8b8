/**
 * SQL: what the caller said of a message. A request to many has said it once, in its expansion's row, which is kept for
 * as long as its messages are: a copy in each would be as many times what the caller sent.
 */
export const of = (message: string): string =>
  `coalesce(${message}.instructions, (select x.instructions from expansions x where x.scope = ${message}.scope and x.id = ${message}.request_id))`
