import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The suites of whole servers take minutes, those of a part seconds. */
const isOfAPart = ({ moduleId }: TestSpecification): boolean => /\/test\/(?:src|layers)\//.test(moduleId)

/** Long files first, so that none of them is left alone at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const usual = await super.sort(files)
    return usual.toSorted((a, b) => Number(isOfAPart(a)) - Number(isOfAPart(b)))
  }
}
