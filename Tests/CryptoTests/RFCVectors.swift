import Testing

/// A case of RFC 4231, sections 4.2 to 4.8.
struct HMACVector: Sendable, CustomTestStringConvertible {
  var section: String
  var key: [UInt8]
  var message: [UInt8]
  /// The code, or the beginning of it that the document prints.
  var code: String

  var testDescription: String { section }

  static let all = [
    HMACVector(
      section: "4.2", key: [UInt8](repeating: 0x0b, count: 20), message: ascii("Hi There"),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACVector(
      section: "4.3", key: ascii("Jefe"), message: ascii("what do ya want for nothing?"),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACVector(
      section: "4.4", key: [UInt8](repeating: 0xaa, count: 20),
      message: [UInt8](repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACVector(
      section: "4.5", key: Array(1...25), message: [UInt8](repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACVector(
      section: "4.6", key: [UInt8](repeating: 0x0c, count: 20),
      message: ascii("Test With Truncation"), code: "a3b6167473100ee06e0c796c2955552b"),
    HMACVector(
      section: "4.7", key: [UInt8](repeating: 0xaa, count: 131),
      message: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACVector(
      section: "4.8", key: [UInt8](repeating: 0xaa, count: 131),
      message: ascii(
        """
        This is a test using a larger than block-size key and a larger than block-size data. \
        The key needs to be hashed before being used by the HMAC algorithm.
        """),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]
}

/// A case of RFC 5869, appendix A.
struct HKDFVector: Sendable, CustomTestStringConvertible {
  var section: String
  var secret: [UInt8]
  var salt: [UInt8]
  var info: [UInt8]
  var output: String

  var testDescription: String { section }

  static let all = [
    HKDFVector(
      section: "A.1", secret: [UInt8](repeating: 0x0b, count: 22), salt: Array(0...12),
      info: Array(0xf0...0xf9),
      output: """
        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf\
        34007208d5b887185865
        """),
    HKDFVector(
      section: "A.2", secret: Array(0x00...0x4f), salt: Array(0x60...0xaf),
      info: Array(0xb0...0xff),
      output: """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
        59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
        cc30c58179ec3e87c14c01d5c1f3434f1d87
        """),
    HKDFVector(
      section: "A.3", secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
      output: """
        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d\
        9d201395faa4b61a96c8
        """),
  ]
}
