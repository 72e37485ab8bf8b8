/** The profile that both contenders answer with. */
export const profile = (userId: string) => ({
  email: `${userId}@example.com`,
  name: "Ada Lovelace",
  locale: "en-GB",
  custom: { plan: "pro", seats: 5, tags: ["a", "b"] }
})

/** The catalogue whose topics a user's preferences list. */
export const section = { name: "News" }
export const topics = ["Weekly", "Product", "Billing"].map((name) => ({ name, default_status: "OPTED_IN" }))
