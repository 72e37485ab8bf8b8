import { resolve } from "#layers/cli/resolve.mjs"
import { registerHooks } from "node:module"
import process from "node:process"

/** Loads a server's modules, and prints how many imports `resolve` answered itself, and where it says something else than Node. */
const different: Array<string> = []
let answered = 0

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    let asked = false
    const said = resolve(specifier, context, () => {
      asked = true
      return found
    })
    if (!asked) answered++
    if (said.url !== found.url || said.format !== found.format) {
      different.push(
        `${specifier} from ${context.parentURL}: ${said.url} (${said.format}), not ${found.url} (${found.format})`
      )
    }
    return found
  }
})

await import("#layers/App.ts")
process.stdout.write(JSON.stringify({ answered, different }))
process.exit(0)
