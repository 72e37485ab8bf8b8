/** Settings whose names do not say that they are ours: others look like them, and are other programs'. */
const common = ["DATABASE_URL", "REDIS_URL", "SMTP_URL", "TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"]

/** Whether one letter more, less or another, or two that changed places, make the one of the other. */
const isSlip = (name: string, meant: string): boolean => {
  let same = 0
  while (same < name.length && name[same] === meant[same]) same++
  const [left, right] = [name.slice(same), meant.slice(same)]
  const areSwapped = left[0] === right[1] && left[1] === right[0]
  return left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1) ||
    (areSwapped && left.slice(2) === right.slice(2))
}

/**
 * Which of these names were probably meant for such a setting, which is not among them: without its `DATABASE_URL` a
 * server starts on an embedded store, and accepts what nobody will look for there.
 */
export const slips = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const missing = common.filter((name) => !names.includes(name))
  return names.filter((name) => !common.includes(name) && missing.some((meant) => isSlip(name.toUpperCase(), meant)))
}
