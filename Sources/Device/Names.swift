/// The number of an inode of one device. Never used twice in the life of a device.
package struct InodeID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The root directory. The same number that FUSE gives to a mount's root.
  package static let root = InodeID(1)

  package static func < (left: InodeID, right: InodeID) -> Bool { left.number < right.number }
}

/// The place of an operation in the one order that all operations of a device have; from 1.
package struct OperationNumber: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) {
    self.number = number
  }

  package static func < (left: OperationNumber, right: OperationNumber) -> Bool {
    left.number < right.number
  }
}

/// A process as the device knows it: the id of a registered one, or ``ProcessNumber/unknown``.
package struct ProcessNumber: Hashable, Sendable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  /// The kernel itself (write-back), or a process that nobody registered.
  package static let unknown = ProcessNumber(0)
}

/// One name in a directory: any bytes but `/` and NUL, 255 at most.
package struct FileName: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  package static let maximumBytes = 255

  package static func < (left: FileName, right: FileName) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension FileName: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral value: String) {
    self.init(value)
  }

  package var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A refused operation. The raw value is Linux's error number.
package enum DeviceError: Int32, Error, CaseIterable, Sendable {
  case notPermitted = 1
  case noEntry = 2
  case inputOutput = 5
  case badDescriptor = 9
  case noAccess = 13
  case busy = 16
  case exists = 17
  case crossesDevices = 18
  case notDirectory = 20
  case isDirectory = 21
  case invalid = 22
  case fileTooLarge = 27
  case noSpace = 28
  case readOnly = 30
  case tooManyLinks = 31
  case nameTooLong = 36
  case notEmpty = 39
  case noData = 61
  case unsupported = 95
  case stale = 116
  case quotaExceeded = 122

  /// The symbol that C programs use.
  package var symbol: String {
    switch self {
    case .notPermitted: "EPERM"
    case .noEntry: "ENOENT"
    case .inputOutput: "EIO"
    case .badDescriptor: "EBADF"
    case .noAccess: "EACCES"
    case .busy: "EBUSY"
    case .exists: "EEXIST"
    case .crossesDevices: "EXDEV"
    case .notDirectory: "ENOTDIR"
    case .isDirectory: "EISDIR"
    case .invalid: "EINVAL"
    case .fileTooLarge: "EFBIG"
    case .noSpace: "ENOSPC"
    case .readOnly: "EROFS"
    case .tooManyLinks: "EMLINK"
    case .nameTooLong: "ENAMETOOLONG"
    case .notEmpty: "ENOTEMPTY"
    case .noData: "ENODATA"
    case .unsupported: "EOPNOTSUPP"
    case .stale: "ESTALE"
    case .quotaExceeded: "EDQUOT"
    }
  }
}
