import process from "node:process"
import { parseArgs, type ParseArgsConfig } from "node:util"

/** A command that was called wrongly ends with one sentence. */
export const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

/** What a command was called with. It ends with its usage where that was asked for, or where it was called otherwise. */
export const read = <Config extends ParseArgsConfig>(config: Config, usage: string) => {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    // Node adds advice on words that begin with a dash.
    const [said = ""] = (error instanceof Error ? error.message : String(error)).split(". ")
    return refuse(`${said}; ${usage}`)
  }
}

/** A number among them. */
export const number = (name: string, text: string, least: number): number => {
  const value = text.trim() === "" ? Number.NaN : Number(text)
  return value >= least ? value : refuse(`--${name} must be a number, ${least} at least`)
}
