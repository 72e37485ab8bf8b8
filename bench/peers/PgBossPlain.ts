import * as Jobs from "./Jobs.ts"
import * as PgBoss from "./PgBoss.ts"

await Jobs.measure((completed) => PgBoss.make(process.env["DATABASE_URL"] ?? "", completed))
