import Testing

/// The built program, driven as a user drives it.
///
/// One test at a time: each mounts phones and starts processes. Every test has a runtime folder and
/// a working folder of its own, so that none sees the phones of another.
@Suite(.serialized, .timeLimit(.minutes(Kills.patience)))
enum Commands {}
