import { submissionsContract } from "#test/contracts/Submissions.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

submissionsContract("memory", Stores.layer)
