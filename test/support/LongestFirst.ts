import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The suites of whole servers take minutes, and those over a database longer than others. A checkout that remembers no
 * run sorts files by size, and the longest over a database are a few lines that name the contracts of all stores.
 */
const rank = ({ moduleId }: TestSpecification): number => {
  if (!/\/test\/(?:src|layers)\//.test(moduleId)) return 0
  return /\.integration\.test\.ts$|\/embedded\//.test(moduleId) ? 1 : 2
}

/** Long files first, so that none of them is left alone at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const usual = await super.sort(files)
    return usual.toSorted((a, b) => rank(a) - rank(b))
  }
}
