export const heap: ReadonlyArray<string>
