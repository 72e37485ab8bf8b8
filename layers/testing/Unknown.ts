/** Complaints about names that do not exist, such as misspelt ones: they would have no effect. */
export const unknown = (of: string, value: object, known: object): ReadonlyArray<string> =>
  Object.keys(value).filter((name) => !Object.hasOwn(known, name)).map((name) =>
    `${of} has ${name}, which is none of ${Object.keys(known).join(", ")}`
  )
