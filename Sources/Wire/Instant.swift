/// A moment, in milliseconds since 1970, with the two spellings that web protocols use.
package struct Instant: Equatable, Comparable, Sendable {
  package var ms: Int64

  package init(ms: Int64) { self.ms = ms }

  package static func < (one: Instant, other: Instant) -> Bool { one.ms < other.ms }

  /// The furthest moment that a `Date` of JavaScript can name, on either side of 1970.
  package static let msMax: Int64 = 8_640_000_000_000_000

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// The fields of the moment in UTC.
  private var fields: (date: CivilDate, hour: Int, minute: Int, second: Int, fraction: Int) {
    let day = ms.dividedDown(by: 86_400_000)
    let rest = Int(ms - day * 86_400_000)
    return (
      CivilDate(day: Int(day)), rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000
    )
  }

  /// As `Date.prototype.toISOString`: `2026-09-21T14:13:20.000Z`.
  package var isoText: String {
    let (date, hour, minute, second, fraction) = fields
    let year =
      (0...9999).contains(date.year)
      ? date.year.padded(4) : (date.year < 0 ? "-" : "+") + abs(date.year).padded(6)
    return "\(year)-\(date.month.padded(2))-\(date.day.padded(2))T\(hour.padded(2)):"
      + "\(minute.padded(2)):\(second.padded(2)).\(fraction.padded(3))Z"
  }

  /// As `Date.prototype.toString` where the time zone is UTC.
  package var javaScriptText: String {
    let (date, hour, minute, second, _) = fields
    let weekday = (date.ordinal + 4).remainderUp(by: 7)
    return "\(Self.weekdays[weekday]) \(Self.months[date.month - 1]) \(date.day.padded(2)) "
      + "\(date.year.padded(4)) \(hour.padded(2)):\(minute.padded(2)):\(second.padded(2)) "
      + "GMT+0000 (Coordinated Universal Time)"
  }
}

// MARK: - Reading

extension Instant {
  /// Reads a text as `new Date(text)` does where it is an ISO 8601 time in UTC or with an offset, or
  /// a date of HTTP, with blanks or hyphens. `nil` stands for an invalid date.
  ///
  /// Other formats that engines guess at are invalid here.
  package init?(_ text: String) {
    guard let ms = Self.isoMs(text) ?? Self.httpMs(text), abs(ms) <= Self.msMax else { return nil }
    self.init(ms: ms)
  }

  private static func isoMs(_ text: String) -> Int64? {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard halves.count <= 2, (1...3).contains(date.count), let year = date[0].number(digits: 4),
      let month = date.count > 1 ? date[1].number(digits: 2) : 1,
      let day = date.count > 2 ? date[2].number(digits: 2) : 1,
      let civil = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let midnight = Int64(civil.ordinal) * 86_400_000
    guard halves.count == 2 else { return midnight }
    let clock = halves[1].prefix { $0 != "Z" && $0 != "+" && $0 != "-" }
    guard let time = timeMs(clock), let zone = zoneMs(halves[1][clock.endIndex...]) else {
      return nil
    }
    return midnight + time - zone
  }

  /// `Wed, 23 Sep 2026 12:00:00 GMT`, with or without the weekday.
  private static func httpMs(_ text: String) -> Int64? {
    var words = text.split { $0 == " " || $0 == "," || $0 == "-" }
    if let first = words.first, first.first?.isLetter == true {
      guard weekdays.contains(where: { first.hasPrefix($0) }) else { return nil }
      words.removeFirst()
    }
    guard words.count == 5, ["GMT", "UTC", "Z"].contains(words[4]), let day = Int(words[0]),
      let month = months.firstIndex(where: { words[1].lowercased() == $0.lowercased() }),
      let year = words[2].number(digits: 4),
      let civil = CivilDate(year: year, month: month + 1, day: day),
      let time = timeMs(words[3])
    else { return nil }
    return Int64(civil.ordinal) * 86_400_000 + time
  }

  /// `14:13`, `14:13:20` or `14:13:20.5`.
  private static func timeMs(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = parts[0].number(digits: 2), hour <= 24,
      let minute = parts[1].number(digits: 2), minute < 60
    else { return nil }
    var ms = (hour * 60 + minute) * 60_000
    if parts.count == 3 {
      let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
      guard seconds.count <= 2, let second = seconds[0].number(digits: 2), second < 60 else {
        return nil
      }
      ms += second * 1000
      if seconds.count == 2 {
        let digits = seconds[1].prefix(3)
        guard !digits.isEmpty, seconds[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let fraction = Int((digits + "00").prefix(3))
        else { return nil }
        ms += fraction
      }
    }
    return ms <= 86_400_000 ? Int64(ms) : nil
  }

  /// How far a zone is ahead of UTC. A time without one is local, which is UTC here.
  private static func zoneMs(_ text: Substring) -> Int64? {
    if text.isEmpty || text == "Z" { return 0 }
    guard text.first != "Z", let shift = timeMs(text.dropFirst()), text.utf8.count == 6 else {
      return nil
    }
    return text.first == "-" ? -shift : shift
  }
}

/// A day of the Gregorian calendar (after Howard Hinnant's `days_from_civil`).
private struct CivilDate {
  let year: Int
  let month: Int
  let day: Int

  /// - Parameter ordinal: Days since 1970-01-01.
  init(day ordinal: Int) {
    let shifted = ordinal + 719_468
    let era = Int64(shifted).dividedDown(by: 146_097)
    let dayOfEra = shifted - Int(era) * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
  }

  /// `nil` for a month or a day that no month has; the 31st of a shorter month is in the next.
  init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01.
  var ordinal: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = Int(Int64(shiftedYear).dividedDown(by: 400))
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int {
  fileprivate func remainderUp(by divisor: Int) -> Int {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }

  fileprivate func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}

extension Substring {
  /// The number that exactly so many digits make.
  fileprivate func number(digits: Int) -> Int? {
    guard utf8.count == digits, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(self)
  }
}
