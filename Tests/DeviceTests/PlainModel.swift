import Device

/// A file system without any of the device's machinery: objects that point to each other, and whole
/// files as arrays of bytes.
final class PlainModel {
  final class Node {
    let isDirectory: Bool
    var bytes: [UInt8] = []
    var children: [String: Node] = [:]

    init(isDirectory: Bool) {
      self.isDirectory = isDirectory
    }
  }

  let root = Node(isDirectory: true)

  enum Step {
    case create(String)
    case makeDirectory(String)
    case write(String, at: Int, UInt8, count: Int)
    case truncate(String, to: Int)
    case rename(String, String, RenameMode)
    case link(String, String)
    case unlink(String)
    case removeDirectory(String)
  }

  func perform(_ step: Step) -> DeviceError? {
    do throws(DeviceError) {
      switch step {
      case .create(let path): try make(path, isDirectory: false)
      case .makeDirectory(let path): try make(path, isDirectory: true)
      case .write(let path, let start, let value, let count):
        let file = try file(path)
        while file.bytes.count < start + count { file.bytes.append(0) }
        for index in start..<start + count { file.bytes[index] = value }
      case .truncate(let path, let size):
        let file = try file(path)
        while file.bytes.count < size { file.bytes.append(0) }
        file.bytes.removeLast(file.bytes.count - size)
      case .rename(let path, let target, let mode): try rename(path, target, mode)
      case .link(let path, let target): try link(path, target)
      case .unlink(let path):
        let (parent, name) = try place(path)
        guard let node = parent.children[name] else { throw .noEntry }
        if node.isDirectory { throw .isDirectory }
        parent.children[name] = nil
      case .removeDirectory(let path):
        let (parent, name) = try place(path)
        guard let node = parent.children[name] else { throw .noEntry }
        if !node.isDirectory { throw .notDirectory }
        if !node.children.isEmpty { throw .notEmpty }
        parent.children[name] = nil
      }
      return nil
    } catch {
      return error
    }
  }

  private func node(_ parts: some Sequence<Substring>) throws(DeviceError) -> Node {
    var node = root
    for part in parts {
      guard let next = node.children[String(part)] else { throw .noEntry }
      node = next
    }
    return node
  }

  private func place(_ path: String) throws(DeviceError) -> (parent: Node, name: String) {
    let parts = path.split(separator: "/")
    let parent = try node(parts.dropLast())
    guard parent.isDirectory else { throw .notDirectory }
    return (parent, String(parts.last ?? ""))
  }

  private func file(_ path: String) throws(DeviceError) -> Node {
    let node = try node(path.split(separator: "/"))
    guard !node.isDirectory else { throw .invalid }
    return node
  }

  private func make(_ path: String, isDirectory: Bool) throws(DeviceError) {
    let (parent, name) = try place(path)
    guard parent.children[name] == nil else { throw .exists }
    parent.children[name] = Node(isDirectory: isDirectory)
  }

  private func link(_ path: String, _ target: String) throws(DeviceError) {
    let node = try node(path.split(separator: "/"))
    let (parent, name) = try place(target)
    guard !node.isDirectory else { throw .notPermitted }
    guard parent.children[name] == nil else { throw .exists }
    parent.children[name] = node
  }

  private func rename(_ path: String, _ target: String, _ mode: RenameMode) throws(DeviceError) {
    for path in [path, target] { _ = try node(path.split(separator: "/").dropLast()) }
    let (other, newName) = try place(target)
    let (parent, name) = try place(path)
    guard let node = parent.children[name] else { throw .noEntry }
    let old = other.children[newName]
    switch mode {
    case .exchange:
      guard let old else { throw .noEntry }
      if old === node { return }
      if holds(node, other) || holds(old, parent) { throw .invalid }
      parent.children[name] = old
      other.children[newName] = node
      return
    case .noReplace: if old != nil { throw .exists }
    case .replacing: break
    }
    if holds(node, other) { throw .invalid }
    if let old {
      if old === node { return }
      if node.isDirectory, !old.isDirectory { throw .notDirectory }
      if !node.isDirectory, old.isDirectory { throw .isDirectory }
      if !old.children.isEmpty { throw .notEmpty }
    }
    parent.children[name] = nil
    other.children[newName] = node
  }

  private func holds(_ node: Node, _ inner: Node) -> Bool {
    node === inner || node.children.values.contains { $0.isDirectory && holds($0, inner) }
  }

  /// Every file by path, and every directory as `nil`.
  func image() -> [String: [UInt8]?] {
    var image: [String: [UInt8]?] = [:]
    func collect(_ node: Node, _ path: String) {
      for (name, child) in node.children {
        image["\(path)/\(name)"] = .some(child.isDirectory ? nil : child.bytes)
        collect(child, "\(path)/\(name)")
      }
    }
    collect(root, "")
    return image
  }
}
