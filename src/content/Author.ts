/** Who wrote a template or strategy: an API key has no person's name. */
export const author = "api"
