// `npm start`, `npm test` and the others: `node layers/cli/run.mjs <command> [arguments]`.
import { launch } from "./launch.mjs"

launch(process.argv[2] ?? "", process.argv.slice(3))
