import { chai } from "vitest"

/** Chai takes any two errors of one name and message for equal, and our errors have no message. Theirs are fields. */
const comparator = (left: unknown, right: unknown): boolean | null =>
  left instanceof Error && right instanceof Error
    ? left.constructor === right.constructor && left.message === right.message && equal({ ...left }, { ...right })
    : null

const equal = (left: unknown, right: unknown): boolean => chai.util.eql(left, right, { comparator })

chai.config.deepEqual = equal
