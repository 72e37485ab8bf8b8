/** To whom the mail of a row goes, and from whom. */
export const profile = { email: "ann@example.com" }
export const from = "Shop <shop@example.org>"
