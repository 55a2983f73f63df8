import Device
import Foundation
import Linux
import Mount
import Testing

/// Prints what a POSIX program sees; run on the phone and on the machine's own file system, both
/// must print the same.
private let posixProgram = """
  import ctypes, errno, mmap, os, stat, sys
  def attempt(name, call):
      try: result = call()
      except OSError as e: result = errno.errorcode[e.errno]
      print(name, result)
  def write(path, data, flags=os.O_CREAT | os.O_WRONLY | os.O_TRUNC):
      f = os.open(path, flags, 0o644); n = os.write(f, data); os.close(f); return n
  def read(path):
      with open(path, 'rb') as f: return f.read()
  libc = ctypes.CDLL(None, use_errno=True)
  def rename2(a, b, flags):
      if libc.renameat2(-100, a, -100, b, flags): raise OSError(ctypes.get_errno(), 'renameat2')
  os.umask(0o022)
  attempt('write', lambda: write('a', b'hello'))
  attempt('exclusive', lambda: os.open('a', os.O_CREAT | os.O_EXCL))
  attempt('append', lambda: write('a', b' world', os.O_WRONLY | os.O_APPEND))
  attempt('read', lambda: read('a'))
  attempt('truncate', lambda: write('a', b'hi'))
  attempt('read', lambda: read('a'))
  attempt('mkdir', lambda: os.mkdir('d', 0o750))
  attempt('mkdir again', lambda: os.mkdir('d'))
  attempt('mode', lambda: oct(os.stat('d').st_mode))
  attempt('rename', lambda: os.rename('a', 'd/b'))
  attempt('old name', lambda: os.stat('a'))
  attempt('link', lambda: os.link('d/b', 'c'))
  attempt('links', lambda: os.stat('c').st_nlink)
  attempt('symlink', lambda: os.symlink('d/b', 's'))
  attempt('readlink', lambda: os.readlink('s'))
  attempt('through', lambda: read('s'))
  attempt('lstat', lambda: stat.S_ISLNK(os.lstat('s').st_mode))
  attempt('unlink', lambda: os.unlink('d/b'))
  attempt('dangling', lambda: read('s'))
  attempt('links', lambda: os.stat('c').st_nlink)
  attempt('rmdir', lambda: os.rmdir('d'))
  attempt('not a directory', lambda: os.listdir('c'))
  attempt('no parent', lambda: write('x/y', b''))
  attempt('long name', lambda: write('n' * 256, b''))
  attempt('chmod', lambda: (os.chmod('c', 0o600), oct(os.stat('c').st_mode))[1])
  attempt('utime', lambda: (os.utime('c', ns=(5, 1234567890123456789)), os.stat('c').st_mtime_ns)[1])
  f = os.open('u', os.O_CREAT | os.O_RDWR)
  os.write(f, b'still here'); os.unlink('u')
  attempt('unlinked', lambda: os.pread(f, 100, 0))
  attempt('no links', lambda: os.fstat(f).st_nlink)
  attempt('grow', lambda: os.ftruncate(f, 5000))
  attempt('zeros', lambda: os.pread(f, 5000, 0)[4000:] == bytes(1000))
  os.close(f)
  f = os.open('sparse', os.O_CREAT | os.O_RDWR)
  attempt('hole', lambda: os.pwrite(f, b'end', 10_000_000))
  attempt('size', lambda: os.fstat(f).st_size)
  attempt('is sparse', lambda: os.fstat(f).st_blocks < 200)
  attempt('in the hole', lambda: os.pread(f, 8, 5_000_000))
  attempt('allocate', lambda: os.posix_fallocate(f, 0, 20_000_000))
  attempt('size', lambda: os.fstat(f).st_size)
  m = mmap.mmap(f, 4096); m[10:13] = b'map'; m.flush()
  attempt('mapped', lambda: os.pread(f, 3, 10))
  os.pwrite(f, b'WRITTEN', 20)
  attempt('into map', lambda: m[20:27])
  m.close(); os.close(f)
  for i in range(500): write('many-%03d' % i, b'x')
  attempt('names', lambda: sorted(n for n in os.listdir('.') if n.startswith('many')) ==
      ['many-%03d' % i for i in range(500)])
  for i in range(500): os.unlink('many-%03d' % i)
  attempt('left', lambda: sorted(os.listdir('.')))
  write('p', b'p'); write('q', b'q')
  attempt('no replace', lambda: rename2(b'p', b'q', 1))
  attempt('exchange', lambda: rename2(b'p', b'q', 2))
  attempt('exchanged', lambda: (read('p'), read('q')))
  attempt('replace', lambda: os.replace('p', 'q'))
  attempt('replaced', lambda: (read('q'), os.path.exists('p')))
  attempt('fifo', lambda: (os.mkfifo('f'), stat.S_ISFIFO(os.stat('f').st_mode))[1])
  os.mkdir('e'); os.mkdir('e/inner')
  attempt('not empty', lambda: os.rmdir('e'))
  attempt('into itself', lambda: os.rename('e', 'e/inner/e'))
  attempt('over full', lambda: (os.mkdir('g'), os.rename('g', 'e'))[1])
  d = os.open('e', os.O_RDONLY)
  attempt('sync dir', lambda: os.fsync(d))
  attempt('sync data', lambda: (lambda h: os.fdatasync(h))(os.open('q', os.O_RDWR)))
  big = bytes(range(256)) * 4096
  attempt('large', lambda: write('big', big))
  attempt('large read', lambda: read('big') == big)
  import shutil
  attempt('copy', lambda: (shutil.copyfile('big', 'big2'), read('big2') == big)[1])
  """

extension `A mounted device` {
  @Test func `does for a POSIX program what the machine's own file system does`() throws {
    let folder = NSTemporaryDirectory() + "plain-\(UUID().uuidString)"
    try Files.makeDirectory(folder)
    defer { try? Files.removeTree(folder) }
    let expected = try Machine.run(posixProgram, in: folder)
    #expect(expected.split(separator: "\n").count > 50)
    try withPhone { mount in
      let actual = try Machine.run(posixProgram, in: mount.directory)
      for (left, right) in zip(actual.split(separator: "\n"), expected.split(separator: "\n")) {
        #expect(left == right)
      }
      #expect(actual.count == expected.count)
      #expect(mount.toolErrors.isEmpty)
    }
  }

  @Test(arguments: ["delete", "truncate", "persist", "wal"])
  func `serves SQLite, and its database survives a kill in the middle`(journal: String) throws {
    try withPhone { mount in
      let open = """
        import sqlite3, os
        d = sqlite3.connect('db', isolation_level=None)
        print(d.execute('pragma journal_mode=\(journal)').fetchone()[0])
        d.execute('pragma synchronous=full')
        """
      let app = try App(
        mount,
        open + """

          d.execute('create table t(n integer primary key, b blob)')
          n = 0
          while True:
              n += 1
              d.execute('insert into t values(?, ?)', (n, os.urandom(3000)))
              print(n)
          """)
      #expect(try app.line() == journal)
      var acknowledged = 0
      while acknowledged < 40 { acknowledged = Int(try #require(try app.line())) ?? 0 }
      mount.kill(app.number)
      while let line = try app.line() { acknowledged = Int(line) ?? acknowledged }
      #expect(try app.status() == .signalled(9))

      let checker = try App(
        mount,
        open + """

          print(d.execute('pragma integrity_check').fetchone()[0])
          print(d.execute('select max(n) from t').fetchone()[0])
          """)
      #expect(try checker.line() == journal)
      #expect(try checker.line() == "ok")
      let stored = Int(try #require(try checker.line())) ?? 0
      #expect(stored >= acknowledged && stored <= acknowledged + 1)
      #expect(mount.toolErrors.isEmpty)
    }
  }

  @Test func `keeps extended attributes, and shows them with the option only`() throws {
    let program = """
      import os
      open('a', 'x')
      try:
          os.setxattr('a', 'user.k', b'v'); print(os.getxattr('a', 'user.k'), os.listxattr('a'))
      except OSError as e: print(os.strerror(e.errno))
      """
    try withPhone(DeviceSetup(), { $0.servesExtendedAttributes = true }) { mount in
      let app = try App(mount, program)
      #expect(try app.line() == "b'v' ['user.k']")
      #expect(mount.toolErrors.isEmpty)
    }
    try withPhone { mount in
      let app = try App(mount, program)
      #expect(try app.line() == "Operation not supported")
      let kept = mount.withDevice { device in
        device.live.resolve("/a").flatMap { device.live[$0]?.extendedAttributes }
      }
      #expect(kept == ["user.k": [UInt8(ascii: "v")]])
      #expect(mount.toolErrors.isEmpty)
    }
  }
}

extension Machine {
  /// Runs a Python program in a folder and returns all that it prints.
  static func run(_ program: String, in folder: String) throws -> String {
    let pipe = try Descriptor.pipe()
    let child = try start(program, in: folder, pipe.writing)
    let text = try pipe.reading.readToEnd(of: child)
    #expect(try child.wait(timeoutMs: 30_000) == .exited(0))
    return text
  }

  private static func start(
    _ program: String, in folder: String, _ out: Descriptor
  ) throws -> ChildProcess {
    var launch = ChildProcess.Launch([Machine.python, "-I", "-S", "-c", program])
    launch.directory = folder
    launch.descriptors = [nil, out, .standardError]
    return try ChildProcess(launch)
  }
}

extension Descriptor {
  fileprivate func readToEnd(of child: ChildProcess) throws -> String {
    var bytes: [UInt8] = []
    while true {
      let ready = try Descriptor.waitReadable([self, child.pidfd.descriptor], timeoutMs: 30_000)
      if ready.isEmpty { break }
      if ready.contains(0) {
        bytes += try read(count: 65_536)
      } else {
        break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
