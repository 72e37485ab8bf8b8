/**
 * Bytes that the database may say of one row. A body of 6 MB is up to 28 MB once its numbers are written out (`1e20` has 21 digits), and a row
 * that the client refuses is refused with all its neighbours, at every look. As much as an embedded database is told at once.
 */
export const maxMessageSize = 64 * 1024 * 1024
