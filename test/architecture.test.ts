import { bugs } from "#test/simulator/planted/Bugs.ts"
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Leftmost first: a folder may import itself and what stands left of it. */
const order = ["schemas", "src", "layers"]

const sourcesIn = (folders: ReadonlyArray<string>) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((path) => posix.join(folder, path.replaceAll("\\", "/")))
      .filter((path) => /\.m?[jt]s$/.test(path))
      .map((path) => ({ path, text: read(path) }))
  )

const house = sourcesIn(order)

/** The code without what only talks about it: comments and quoted strings become blanks, lines stay where they are. */
const code = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g, (match) => match.replaceAll(/[^\n]/g, " "))

/** Every place where `pattern` is found, as `path:line: text`. */
const places = (pattern: RegExp, textOf: (text: string) => string): ReadonlyArray<string> =>
  house.flatMap(({ path, text }) =>
    textOf(text).split("\n").flatMap((line, index) =>
      pattern.test(line) ? [`${path}:${index + 1}: ${text.split("\n")[index]?.trim()}`] : []
    )
  )

const specifiers = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)"([^"]+)"/g)].flatMap(([, specifier]) =>
    specifier ?? []
  )

/** The top level folder that an import reaches into, for imports of our own files. */
const target = (path: string, specifier: string): string | undefined => {
  if (specifier.startsWith("#")) return specifier.slice(1).split("/")[0]
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier).split("/")[0]
  return undefined
}

/** Our files that are loaded with one: what it imports, and what that does, but not what an `import()` may load later. */
const loadedWith = (path: string, loaded = new Set<string>()): ReadonlySet<string> => {
  loaded.add(path)
  for (const [, imported = ""] of read(path).matchAll(/^import (?!type )[^;]*?\bfrom "#([^"]+)"/gm)) {
    if (!loaded.has(imported)) loadedWith(imported, loaded)
  }
  return loaded
}

const forbidden: Readonly<Record<string, RegExp>> = {
  "Date.now and new Date(): time is the clock's (P7)": /\bDate\.now\b|\bnew Date\(\s*\)/,
  "Math.random: chance is Random's (P7)": /\bMath\.random\b/,
  "console: what is said goes through the logger": /\bconsole\s*[.[]/,
  "any": /[:<,|&(]\s*any\b|\bas\s+any\b|\bany\s*\[\]/,
  "throw: errors are values": /\bthrow\b/,
  "enums and namespaces: the sources run by type stripping":
    /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:enum|namespace)\s+\w/
}

describe("architecture", () => {
  it("every bug that the simulator's test plants has its one place in the sources", () => {
    const lost = bugs.filter(({ file, text }) => read(file).split(text).length !== 2)
    assert.deepStrictEqual(lost.map(({ file, name }) => `${file}: ${name}`), [])
  })

  it("imports point left: schemas, src, layers", () => {
    const wrong = house.flatMap(({ path, text }) =>
      specifiers(text).flatMap((specifier) => {
        const to = target(path, specifier)
        const allowed = order.slice(0, order.indexOf(path.split("/")[0] ?? "") + 1)
        return to === undefined || allowed.includes(to) ? [] : [`${path} imports ${specifier}`]
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("an engine worker, which loads the whole program, loads nothing of the HTTP API with it", () => {
    const loaded = [...loadedWith("layers/main.ts")]
    assert.include(loaded, "src/delivery/Pipeline.ts")
    assert.deepStrictEqual(loaded.filter((path) => path.startsWith("layers/http/")), [])
  })

  it("no file is longer than 300 lines", () => {
    const long = [...house, ...sourcesIn(["test", "bench"])].flatMap(({ path, text }) => {
      const lines = text.trimEnd().split("\n").length
      return lines > 300 ? [`${path}: ${lines} lines`] : []
    })
    assert.deepStrictEqual(long, [])
  })

  for (const [rule, pattern] of Object.entries(forbidden)) {
    it(`the house is free of ${rule}`, () => assert.deepStrictEqual(places(pattern, code), []))
  }

  it("the house is free of promises in comments", () => {
    assert.deepStrictEqual(places(/\b(?:TODO|FIXME|XXX|HACK)\b/, (text) => text), [])
  })

  it("the top level holds the folders of the design, and no other", () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) =>
        entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules" && entry.name !== "dist"
      )
      .map(({ name }) => name)
    assert.sameMembers(folders, ["bench", "layers", "schemas", "src", "test"])
  })

  it("the top level holds the files of the design, and no other", () => {
    const files = readdirSync(root, { withFileTypes: true })
      // A link where the packages are shared between checkouts.
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map(({ name }) => name)
    const named = ["package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE", "CHANGELOG.md"]
    assert.sameMembers(files, [...named, "Dockerfile", "compose.yaml"])
  })

  const manifest: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = JSON.parse(
    read("package.json")
  )
  const dependencies = Object.entries({
    ...manifest["dependencies"],
    ...manifest["optionalDependencies"],
    ...manifest["devDependencies"]
  })

  it("every dependency is pinned to one version", () => {
    const loose = dependencies.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    assert.deepStrictEqual(loose, [])
  })

  const pages = ["README.md", "bench/README.md", "bench/TRIED.md", "layers/README.md", "layers/testing/README.md"]

  it("the README and those of the folders lead only to files that are there", () => {
    const lost = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].flatMap(([, link = ""]) =>
        existsSync(join(root, dirname(page), link)) ? [] : [`${page}: ${link}`]
      )
    )
    assert.deepStrictEqual(lost, [])
  })

  it("every variable that an operator may set is named in layers/README.md", () => {
    const manual = read("layers/README.md")
    const variables = house.flatMap(({ text }) =>
      text.match(/(?<=")(?:(?:TIDINGS|TWILIO)_[A-Z_]+|[A-Z]+_(?:URL|PROXY)|PORT)(?=")/g) ?? []
    )
    assert.includeMembers(variables, ["DATABASE_URL", "PORT", "SMTP_URL", "TIDINGS_URL", "TWILIO_FROM"])
    assert.deepStrictEqual(variables.filter((name) => !manual.includes(`\`${name}\``)), [])
  })

  it("every metric and setting of ours that a page names is there", () => {
    const ours = /\b(?:tidings_[a-z_]+|TIDINGS_[A-Z_]+)\b/g
    const there = new Set(house.flatMap(({ text }) => [...text.matchAll(ours)].map(([name]) => name)))
    // The buckets of a histogram have a name of their own.
    const isThere = (name: string) => there.has(name) || there.has(name.replace(/_seconds_bucket$/, "_seconds"))
    const lost = pages.flatMap((page) =>
      [...read(page).matchAll(ours)].flatMap(([name]) => isThere(name) ? [] : [`${page}: ${name}`])
    )
    assert.deepStrictEqual(lost, [])
  })

  it("the pages' links lead to headings that are there", () => {
    const slug = (heading: string) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    const headings = (page: string) => [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => slug(text))
    const lost = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)/g)].flatMap(([, path = "", anchor = ""]) =>
        headings(path === "" ? page : join(dirname(page), path)).includes(anchor) ? [] : [`${page}: ${path}#${anchor}`]
      )
    )
    assert.deepStrictEqual(lost, [])
  })

  it("every dependency is named in the README", () => {
    const readme = read("README.md")
    assert.deepStrictEqual(dependencies.map(([name]) => name).filter((name) => !readme.includes(`\`${name}\``)), [])
  })
})
