import Device
import Foundation
import Linux
import Testing

@testable import Mount

extension `A mounted device` {
  @Test func `takes names of 255 bytes of any kind, and refuses longer ones in every call`() throws
  {
    try expectOnBoth(
      """
      names = [b'n' * 255, 'ä'.encode() * 127, b'\\xff\\xfe', b'new\\nline', b'\\\\', b'...', b' ']
      for name in names:
          store(name, name); assert content(name) == name and os.stat(name).st_size == len(name)
      print(sorted(os.listdir(b'.')) == sorted(names))
      for name in names: os.unlink(name)
      store('f', b''); long = 'n' * 256
      for call in [lambda: store(long, b''), lambda: os.stat(long), lambda: os.mkdir(long),
          lambda: os.rename('f', long), lambda: os.link('f', long), lambda: os.symlink('f', long),
          lambda: os.unlink(long), lambda: os.rmdir(long), lambda: os.rename(long, 'f'),
          lambda: os.mkfifo(long), lambda: os.stat(long + '/x'), lambda: os.stat('n/' * 2048)]:
          print(word(call), end=' ')
      print()
      os.symlink('t' * 4095, 's'); print(len(os.readlink('s')), word(lambda: open('s')))
      """,
      prints: ["True", "\(String(repeating: "ENAMETOOLONG ", count: 12))", "4095 ENAMETOOLONG"])
  }

  @Test func `keeps trees of 200 levels, and paths longer than one call can name`() throws {
    try expectOnBoth(
      """
      path = '/'.join('d' * 200)
      os.makedirs(path); store(path + '/f', b'deep')
      os.rename('d/d', 'e'); print(content('e/' + '/'.join('d' * 198) + '/f'), os.listdir('d'))
      print(word(lambda: os.rename('e', 'e/d/d/x')))
      home = os.open('.', os.O_RDONLY); name = 'n' * 250
      for level in range(30): os.mkdir(name); os.chdir(name)
      store('f', b'far'); print(content('f'), word(lambda: os.stat(os.path.join(*[name] * 30))))
      os.unlink('f')
      for level in range(30): os.chdir('..'); os.rmdir(name)
      print(os.stat('.').st_nlink, os.path.sameopenfile(home, os.open('.', os.O_RDONLY)))
      """,
      prints: ["b'deep' []", "EINVAL", "b'far' ENAMETOOLONG", "4 True"])
  }

  @Test func `shows holes as zeros, and counts only the blocks that hold something`() throws {
    try expectOnBoth(
      """
      f = os.open('f', os.O_CREAT | os.O_RDWR)
      libc = ctypes.CDLL(None, use_errno=True)
      def punch(at, count):
          assert libc.fallocate(f, 3, ctypes.c_long(at), ctypes.c_long(count)) == 0
      def show(name): print(name, os.fstat(f).st_size, os.fstat(f).st_blocks)
      os.ftruncate(f, 1 << 30); show('empty')
      os.pwrite(f, b'x', 1 << 20); show('page')
      os.pwrite(f, b'y' * 8192, (1 << 29) - 4096); show('pages')
      print(os.pread(f, 3, (1 << 20) - 1), os.pread(f, 10000, 5 << 20) == bytes(10000))
      punch((1 << 29) - 4096, 4096); show('punched')
      print(os.pread(f, 2, (1 << 29) - 1))
      os.ftruncate(f, 1 << 29); os.ftruncate(f, 1 << 30); show('cut')
      print(os.pread(f, 1, 1 << 29), os.pread(f, 9, 1 << 30))
      """,
      prints: [
        "empty 1073741824 0", "page 1073741824 8", "pages 1073741824 24",
        "b'\\x00x\\x00' True", "punched 1073741824 16", "b'\\x00y'", "cut 1073741824 8",
        "b'\\x00' b''",
      ])
  }

  @Test func `frees the space of an unlinked file when its last descriptor is closed`() throws {
    try withPhone { mount in
      let free = mount.withDevice { $0.freeBytes }
      let app = try App(
        mount,
        """
        import os
        f = os.open('f', os.O_CREAT | os.O_RDWR); g = os.dup(f)
        os.write(f, b'x' * 40960); os.unlink('f'); os.pwrite(f, b'y' * 4096, 40960)
        os.close(f); print(os.fstat(g).st_nlink, os.fstat(g).st_size, os.pread(g, 1, 45055))
        input(); os.close(g); print('closed'); input()
        """)
      #expect(try app.line() == "0 45056 b'y'")
      #expect(mount.withDevice { $0.freeBytes } == free - 45_056)
      try app.go()
      #expect(try app.line() == "closed")
      // The kernel tells of the last close a moment later.
      #expect(
        mount.state.wait(timeoutMs: 5_000) { $0.device.freeBytes == free ? true : nil } == true)
    }
  }

  /// A name needs no page of this device, as none of tmpfs; ENOSPC for a name can be armed.
  @Test func `is full for data, not for names, and takes data again when something is removed`()
    throws
  {
    var setup = DeviceSetup()
    setup.capacityBytes = 64 * 4096
    try withPhone(setup) { mount in
      let printed = try Machine.run(
        prelude + """
          f = os.open('f', os.O_CREAT | os.O_RDWR)
          print(os.write(f, b'x' * 200000), os.write(f, b'x' * 100000))
          print(word(lambda: os.write(f, b'x' * 4096)), os.fstat(f).st_size, os.statvfs('.').f_bfree)
          store('g', b''); os.mkdir('d'); os.link('g', 'd/h'); os.symlink('g', 's')
          print(word(lambda: store('g', b'x')), os.stat('g').st_size)
          print('over', os.pwrite(f, b'y' * 5000, 3000), os.pread(f, 1, 7999))
          print('grown', word(lambda: os.truncate('g', 100000)), content('g')[:2])
          g = os.open('g', os.O_RDWR); print(word(lambda: os.posix_fallocate(g, 0, 4096)))
          m = mmap.mmap(g, 4096); m[0] = 1; print('map', word(m.flush)); m.close()
          os.ftruncate(f, 4096 * 63); print(os.pwrite(g, b'z' * 5000, 0), content('g')[:2])
          os.unlink('f'); os.close(f)
          while os.statvfs('.').f_bfree < 63: pass
          print(os.pwrite(g, b'z' * 5000, 0), os.stat('g').st_blocks)
          """, in: mount.directory)
      #expect(
        printed.split(separator: "\n") == [
          "200000 62144", "ENOSPC 262144 0", "ENOSPC 0", "over 5000 b'y'",
          "grown done b'\\x00\\x00'",
          "ENOSPC", "map ENOSPC", "4096 b'zz'", "5000 16",
        ])
      #expect(mount.withDevice { $0.checkInvariants() } == [])
    }
  }

  @Test func `lists a folder of 5,000 files whole, from any place, and while it shrinks`() throws {
    try withPhone { mount in
      let names = (0..<5_000).map { "file-with-a-name-\($0)" }
      mount.withDevice { device in
        _ = device.change { tree in
          for name in names { tree.writeFile("/d/\(name)", [1], mode: 0o600, at: 1) }
        }
      }
      let folder = try Descriptor.open(mount.directory + "/d", O_RDONLY)
      let listing = try #require(Listing(of: dup(folder.number)))
      let first = listing.rest(2_500)
      let place = listing.place
      let second = listing.rest()
      #expect((first + second).sorted() == (names + [".", ".."]).sorted())
      listing.go(to: place)
      #expect(listing.rest() == second)
      listing.rewind()
      #expect(listing.rest() == first + second)

      // What `rm -r` does.
      listing.rewind()
      var removed = 0
      while let name = listing.rest(1).first {
        if name.hasPrefix(".") { continue }
        try Files.remove(mount.directory + "/d/" + name)
        removed += 1
      }
      #expect(removed == 5_000)
      listing.rewind()
      #expect(listing.rest().sorted() == [".", ".."])
    }
  }
}
