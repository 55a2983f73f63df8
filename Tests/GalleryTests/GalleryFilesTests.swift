import Foundation
import Gallery
import Testing

@Suite struct `The embedded gallery` {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `is the folder, file by file, sorted by name`() throws {
    let gallery = folder.appending(path: "Faults/gallery")
    let isThere = FileManager.default.fileExists(atPath: gallery.path)
    let names =
      isThere ? try FileManager.default.contentsOfDirectory(atPath: gallery.path).sorted() : []
    let files = names.filter { $0.hasSuffix(".json5") }
    #expect(GalleryFiles.all.map { $0.name + ".json5" } == files)
    for file in GalleryFiles.all {
      let onDisk = try String(contentsOf: folder.appending(path: file.path), encoding: .utf8)
      #expect(file.text.utf8.elementsEqual(onDisk.utf8), "\(file.path)")
      #expect(GalleryFiles.file(file.name) == file)
    }
  }

  @Test func `has nothing under another name`() {
    #expect(GalleryFiles.file("no such scenario") == nil)
  }
}
