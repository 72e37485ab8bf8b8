/**
 * The longest message in bytes that the client accepts from the database, which bounds one row. What is said to one
 * user of a bulk job comes from two bodies of 6 MB, and is longer once its numbers are written out (`1e20` has 21
 * digits). If the client refused a row, every look would fail, with all rows beside it. An embedded database has the
 * same limit for what it is sent.
 */
export const maxMessageSize = 64 * 1024 * 1024
