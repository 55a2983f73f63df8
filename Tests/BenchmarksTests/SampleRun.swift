@testable import Benchmarks

extension Measurements {
  /// A run that nobody made.
  static func sample(
    cpu: String = "Sample CPU", scale: Double = 1, noise: Double = 0.02, isOptimised: Bool = true
  ) -> Measurements {
    var calls = Section(title: "file calls")
    var write = Row("write <4 KiB>", "lab", .of(1_000 * scale, 1_040 * scale, 1_090 * scale))
    write.bytes = 4096
    write.add("tmpfs", 0.5)
    write.demand("tmpfs", atLeast: 0.6)
    write.demand(atMost: 2_000)
    calls.rows = [write, Row("write <4 KiB>", "tmpfs", .of(500, 520, 530))]
    var rate = Row("cases", "lab", .of(90, 100, 110))
    rate.unit = .perSecond
    var trips = Row("cases", "round trips", .of(16, 16, 16))
    trips.unit = .count
    calls.rows += [rate, trips]
    var ciphers = Section(title: "AES", layout: .sizes(of: "roofline"))
    for bytes in [64, 4096] {
      var row = Row("key kept, \(bytes) B", "kernel", .of(Double(bytes) / 10), bytes: bytes)
      row.add("roofline", 0.9)
      ciphers.rows.append(row)
    }
    ciphers.curves = [
      Curve(
        name: "preparation", over: "saves", unit: .nanoseconds,
        points: [.init(size: 1, value: 100), .init(size: 4, value: 420)])
    ]
    return Measurements(
      suite: "sample", seed: .max, digest: "d1", roundCount: 3, machine: .sample(cpu, isOptimised),
      sections: [calls, ciphers], notes: ["a & b"], noise: noise, neighbours: 0,
      conclusion: "Use it.")
  }
}

extension MachineDescription {
  static func sample(_ cpu: String, _ isOptimised: Bool) -> MachineDescription {
    MachineDescription(
      cpu: cpu, features: ["aes", "vaes"], kernel: "6.1", libfuse: "3.14", sqlite: "3.40",
      openssl: "3.0", libevent: "2.1", swift: "6.3", isOptimised: isOptimised,
      processor: 1, processorCount: 2)
  }
}

extension Samples {
  static func of(_ values: Double...) -> Samples {
    values.reduce(into: Samples()) { $0.add($1) }
  }
}
