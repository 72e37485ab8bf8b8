import { DateTime } from "effect"

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const two = (value: number): string => String(value).padStart(2, "0")

/** From 1. Counted in a year of the same calendar, which repeats after 400 years: the first year of all has no January. */
const dayOfYear = (year: number, month: number, day: number): number => {
  const alike = 2_000 + year % 400
  return 1 + (Date.UTC(alike, month - 1, day) - Date.UTC(alike, 0, 1)) / 86_400_000
}

const offset = (time: DateTime.Zoned): string => DateTime.zonedOffsetIso(time).replace(":", "")

const directive = /%(-?)([aAwdbBmyYHIpPMSfzZjcxX%])/g

/**
 * Formats a date with sendwithus' codes, which are C's, in English. As there, `%I` has no leading zero and `%p` is
 * lower case ("7:00 pm"). `%-d` and the like drop the leading zero. `zone` is the text for `%Z`.
 */
export const strftime = (time: DateTime.Zoned, pattern: string, zone: string): string => {
  const { day, hour, millisecond, minute, month, second, weekDay, year } = DateTime.toParts(time)
  const weekday = days[weekDay] ?? ""
  const name = months[month - 1] ?? ""
  const half = hour < 12 ? "am" : "pm"
  const date = `${two(month)}/${two(day)}/${two(year % 100)}`
  const clock = `${two(hour)}:${two(minute)}:${two(second)}`
  return pattern.replace(directive, (_, bare: string, code: string) => {
    const number = bare === "-" ? String : two
    switch (code) {
      case "a":
        return weekday.slice(0, 3)
      case "A":
        return weekday
      case "w":
        return String(weekDay)
      case "d":
        return number(day)
      case "b":
        return name.slice(0, 3)
      case "B":
        return name
      case "m":
        return number(month)
      case "y":
        return number(year % 100)
      case "Y":
        return String(year)
      case "H":
        return number(hour)
      case "I":
        return String(hour % 12 === 0 ? 12 : hour % 12)
      case "p":
        return half
      case "P":
        return half.toUpperCase()
      case "M":
        return number(minute)
      case "S":
        return number(second)
      case "f":
        return `${String(millisecond).padStart(3, "0")}000`
      case "z":
        return offset(time)
      case "Z":
        return zone
      case "j":
        return String(dayOfYear(year, month, day)).padStart(bare === "-" ? 1 : 3, "0")
      case "c":
        return `${weekday.slice(0, 3)} ${name.slice(0, 3)} ${day} ${clock} ${year}`
      case "x":
        return date
      case "X":
        return clock
      default:
        return "%"
    }
  })
}
