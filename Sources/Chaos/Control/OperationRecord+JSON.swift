package import Device
package import JSON

extension OperationRecord {
  /// One line of `.lab/operations.ndjson`. Holds no content.
  package var json: JSONValue {
    var fields = JSONObject()
    fields["number"] = .integer(number.number)
    fields["process"] = .integer(Int(process.number))
    fields["kind"] = .text(kind.rawValue)
    fields["domain"] = .text(domain)
    fields["path"] = .text(path)
    fields["target"] = target.map { .text($0) }
    fields["offset"] = offset.map { .integer($0) }
    fields["length"] = length.map { .integer($0) }
    fields["pending"] = .list(pending.map { .text($0.word) })
    fields["error"] = error.map { .text($0.symbol) }
    fields["fault"] = fault.map { .text($0) }
    return .object(fields)
  }
}
