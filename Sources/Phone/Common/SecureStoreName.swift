import Ports

/// The names that expo-secure-store allows: its JavaScript checks `[\w.-]+` on both phones.
enum SecureStoreName {
  static func check(_ name: String) throws(NativeError) {
    let isValid = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isValid, !name.isEmpty else {
      throw NativeError(
        message: "Invalid key provided to SecureStore. Keys must not be empty and contain only "
          + "alphanumeric characters, \".\", \"-\", and \"_\".")
    }
  }
}
