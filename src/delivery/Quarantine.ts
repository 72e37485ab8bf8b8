/** A message that was begun this often and never ended is quarantined (design.md §3): UNDELIVERABLE, FAILED, with an error that says so. */
export const maxTries = 5
