/// The phone's own keys could not be read or made.
struct KeybagFailure: Error, Equatable {
  var reason: String
}
