import { objectOf } from "#src/content/jsonnet/Objects.ts"
import { arrays } from "#src/content/jsonnet/std/Arrays.ts"
import { numbers } from "#src/content/jsonnet/std/Numbers.ts"
import { objects } from "#src/content/jsonnet/std/Objects.ts"
import { sets } from "#src/content/jsonnet/std/Sets.ts"
import { strings } from "#src/content/jsonnet/std/Strings.ts"
import { texts } from "#src/content/jsonnet/std/Texts.ts"
import { types } from "#src/content/jsonnet/std/Types.ts"
import { ObjectValue, type Slot } from "#src/content/jsonnet/Value.ts"

const functions: ReadonlyArray<readonly [string, Slot]> = [
  ...types,
  ...numbers,
  ...objects,
  ...arrays,
  ...sets,
  ...strings,
  ...texts,
  ["pi", Math.PI]
]

const { layers } = objectOf(functions, "hidden")

/**
 * The standard library `std`, as far as messages need it: no hashes, no notations but JSON, no files. A new object for
 * each program, since an object caches its fields.
 */
export const std = (): ObjectValue => new ObjectValue(layers)
