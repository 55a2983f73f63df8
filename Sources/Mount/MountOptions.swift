package import Device
import Linux

/// Makes a part of a text.
package typealias TextPart = @Sendable () -> String

/// What a mount is to do besides serving files.
package struct MountOptions: Sendable {
  /// Whether `fusermount3` stays to unmount when this process dies by any means.
  ///
  /// Costs one more process and about 2 ms at the start.
  package var unmountsWhenKilled = true

  /// Whether extended attributes are served. Off, the kernel is told once that there are none;
  /// on, it asks for `security.capability` before every write.
  package var servesExtendedAttributes = false

  /// The program that serves as the zygote of its launches on this mount, and its words.
  package var zygote: [String]?

  /// Nanoseconds since 1970, for time stamps.
  package var clock: @Sendable () -> Int64 = { Clocks.realtimeNs }

  /// The content of `.lab/status.json`. Called on the serving thread: it must not touch the mount.
  package var status: @Sendable () -> String = { "{}\n" }

  /// The parts of `.lab/operations.ndjson`. Called on the serving thread, too: this when the file is
  /// opened, and each part when a reader comes to it.
  package var operations: @Sendable () -> [TextPart] = { [] }

  /// The names that `.lab/points` takes; a write of another is EINVAL. `nil` takes any name.
  package var pointNames: Set<String>?

  /// Runs an event of the operating system, on a thread of its own, while the request that set it
  /// off is parked. It may kill apps, cut the power, and change the device and announce that with
  /// `MountedDevice.changed`; but it must not wait for the ticket, because the kernel may be
  /// waiting for the parked request, which goes on when this returns.
  package var event: @Sendable (MountedDevice, FaultID) -> Void = { _, _ in }

  package init() {}
}
