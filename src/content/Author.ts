/** The author of every template and strategy: an API key has no person's name. */
export const author = "api"
