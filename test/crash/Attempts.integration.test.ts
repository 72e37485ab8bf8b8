import { suite } from "./Attempts.ts"
import { postgres } from "./EngineStores.ts"

suite(postgres)
