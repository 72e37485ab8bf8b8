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
 * The standard library `std`, in the parts that messages use: no hashes, no other notations than JSON, no files. A new one for each program,
 * since an object keeps what was asked of it.
 */
export const std = (): ObjectValue => new ObjectValue(layers)
