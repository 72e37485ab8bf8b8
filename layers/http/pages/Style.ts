import { readableOn } from "#src/content/html/Color.ts"

const usual = "#1d4ed8"

/** The style sheet of the pages; `accent` is a colour of `Color.color`. It loads nothing. */
export const style = (accent: string = usual): string => `
:root{color-scheme:light dark;--page:#f4f4f5;--card:#fff;--text:#18181b;--soft:#52525b;--line:#d4d4d8;--accent:${accent};--on:${
  readableOn(accent)
}}
@media(prefers-color-scheme:dark){:root{--page:#18181b;--card:#27272a;--text:#fafafa;--soft:#d4d4d8;--line:#52525b}}
*{box-sizing:border-box}
body{margin:0;padding:2rem 1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
h2{margin:2rem 0 .25rem;font-size:1.125rem}
p{margin:0 0 1rem}
a{color:inherit}
.brand,.soft{color:var(--soft)}
.brand{font-weight:600}
.said{padding:.75rem 1rem;border:1px solid var(--accent);border-radius:.5rem}
fieldset{margin:0;padding:1rem 0;border:0;border-top:1px solid var(--line)}
fieldset p{margin:0 0 0 2rem}
legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
label{display:inline-flex;gap:.75rem;align-items:center;min-height:2rem}
.topic{font-weight:600}
.channels{display:flex;flex-wrap:wrap;gap:0 1.5rem;margin-left:2rem}
input{width:1.25rem;height:1.25rem;flex:none;margin:0;accent-color:var(--accent)}
button{padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
form+p{margin:1.5rem 0 0}
.save{padding-top:1rem;border-top:1px solid var(--line)}
:focus-visible{outline:3px solid var(--text);outline-offset:2px}
`
