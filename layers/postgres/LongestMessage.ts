/**
 * Bytes that the database may say of one row. What one of a bulk job's users is told is of two bodies of 6 MB, and longer once their numbers are
 * written out (`1e20` has 21 digits). A row that the client refuses is refused with all its neighbours, at every look. As much as an embedded
 * database is told at once.
 */
export const maxMessageSize = 64 * 1024 * 1024
