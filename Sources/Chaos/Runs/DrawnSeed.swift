import Machine

/// A seed from the system's generator, for a run whose user gave none.
package func drawnSeed() -> UInt64 {
  SystemEntropy().bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
}
