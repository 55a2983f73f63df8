/// Moments as the servers write them. The proleptic Gregorian calendar, in UTC.
package enum Timestamp {
  /// `2026-11-30T13:55:07.123Z`, of milliseconds since 1970: not before, and not beyond the year
  /// 9999.
  package static func text(_ milliseconds: Int64) -> String {
    let days = milliseconds / 86_400_000
    let rest = milliseconds % 86_400_000
    let (year, month, day) = date(of: days)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
    let time = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(rest / 1000 % 60, 2))"
    return "\(date)T\(time).\(padded(rest % 1000, 3))Z"
  }

  /// Years are counted from March, so that the leap day comes last.
  private static func date(of days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
