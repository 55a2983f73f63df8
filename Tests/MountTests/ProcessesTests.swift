import Device
import Foundation
import Linux
import Testing

@testable import Mount

/// What every program below starts with.
let prelude = """
  import ctypes, errno, fcntl, mmap, os, signal, socket, stat, struct, sys
  sys.stdout.reconfigure(line_buffering=True)
  def word(call):
      try: call(); return 'done'
      except OSError as e: return errno.errorcode[e.errno]
  def process(body):
      pid = os.fork()
      if pid == 0:
          try: code = body() or 0
          except OSError as e: code = e.errno
          except BaseException as e: print(e); code = 255
          os._exit(code)
      return pid
  def end(pid): return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
  def content(name):
      with open(name, 'rb') as f: return f.read()
  def store(name, data):
      with open(name, 'wb') as f: f.write(data)

  """

/// Runs a program in a folder of a mount and in one of tmpfs; both must print what is expected.
func expectOnBoth(
  _ program: String, prints expected: [String], _ location: SourceLocation = #_sourceLocation
) throws {
  let folder = "/dev/shm/plain-\(UUID().uuidString)"
  try Files.makeDirectory(folder)
  let text = expected.map { $0 + "\n" }.joined()
  let plain = try Machine.run(prelude + program, in: folder)
  #expect(plain == text, "tmpfs", sourceLocation: location)
  try Files.removeTree(folder)
  try withPhone { mount in
    let mounted = try Machine.run(prelude + program, in: mount.directory)
    #expect(mounted == text, "mount", sourceLocation: location)
    #expect(mount.toolErrors.isEmpty, sourceLocation: location)
    #expect(mount.withDevice { $0.checkInvariants() } == [], sourceLocation: location)
  }
}

extension `A mounted device` {
  /// Without O_APPEND the writers write over each other.
  @Test func `appends what several processes write, each whole and in order`() throws {
    try expectOnBoth(
      """
      def run(name, flags):
          def writer(n):
              f = os.open(name, os.O_CREAT | os.O_WRONLY | flags)
              for i in range(300): os.write(f, b'%d %03d %s\\n' % (n, i, bytes([65 + n]) * 60))
          for pid in [process(lambda: writer(n)) for n in range(4)]: assert end(pid) == 0
          lines = content(name).split(b'\\n')[:-1]
          mine = [[l for l in lines if l[0] == 48 + n] for n in range(4)]
          print(len(lines), all(m == sorted(m) for m in mine), {len(l) for l in lines})
      run('appended', os.O_APPEND)
      run('overwritten', 0)
      """, prints: ["1200 True {66}", "300 True {66}"])
  }

  @Test func `lets a reader see one of the files that were renamed over a name, whole`() throws {
    try expectOnBoth(
      """
      def isWhole():
          data = content('target')
          return len(data) == 5000 and len(set(data)) == 1
      store('target', b'0' * 5000)
      def writer(n):
          for i in range(150):
              store('new%d' % n, bytes([n * 50 + i % 50]) * 5000)
              os.rename('new%d' % n, 'target')
      def reader():
          return 0 if all(isWhole() for i in range(600)) else 1
      writers = [process(lambda: writer(n)) for n in range(3)]
      print(end(process(reader)), [end(pid) for pid in writers], sorted(os.listdir('.')))
      os.close(os.open('target', os.O_WRONLY | os.O_TRUNC))
      print(isWhole())
      """, prints: ["0 [0, 0, 0] ['target']", "False"])
  }

  @Test func `lets one of several processes win each race for a name`() throws {
    try expectOnBoth(
      """
      calls = {
          'rename': lambda n, i: os.rename('source%d' % i, 'mine%d-%d' % (n, i)),
          'mkdir': lambda n, i: os.mkdir('folder%d' % i),
          'create': lambda n, i: os.close(os.open('file%d' % i, os.O_CREAT | os.O_EXCL)),
          'link': lambda n, i: os.link('lock', 'locked%d' % i),
          'unlink': lambda n, i: os.unlink('gone%d' % i),
      }
      store('lock', b'')
      for i in range(100): store('source%d' % i, b''); store('gone%d' % i, b'')
      for name, call in calls.items():
          def contender(n): return sum(word(lambda: call(n, i)) == 'done' for i in range(100))
          print(name, sum(end(pid) for pid in [process(lambda: contender(n)) for n in range(3)]))
      """, prints: ["rename 100", "mkdir 100", "create 100", "link 100", "unlink 100"])
  }

  @Test func `keeps locks between processes, until their holder is killed`() throws {
    try expectOnBoth(
      """
      store('f', bytes(100))
      def other(lock): return end(process(lambda: lock(os.open('f', os.O_RDWR))))
      def held(lock):
          reading, writing = os.pipe()
          def holder():
              lock(os.open('f', os.O_RDWR)); os.write(writing, b'x'); signal.pause()
          pid = process(holder)
          os.read(reading, 1)
          return pid
      def kill(pid): os.kill(pid, signal.SIGKILL); end(pid)
      def flock(kind): return lambda f: fcntl.flock(f, kind | fcntl.LOCK_NB)
      def posix(kind, start, length):
          return lambda f: fcntl.lockf(f, kind | fcntl.LOCK_NB, length, start)
      EX, SH = fcntl.LOCK_EX, fcntl.LOCK_SH
      pid = held(flock(EX))
      print('flock', other(flock(EX)), other(flock(SH)), other(posix(EX, 0, 10)))
      kill(pid)
      print('released', other(flock(EX)))
      pid = held(flock(SH))
      print('shared', other(flock(SH)), other(flock(EX)))
      kill(pid)
      pid = held(posix(EX, 10, 10))
      print('range', other(posix(EX, 0, 10)), other(posix(EX, 15, 1)), other(posix(SH, 20, 5)))
      def whoHolds(f):
          answer = fcntl.fcntl(f, fcntl.F_GETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 50, 0))
          kind, _, start, length, holder = struct.unpack('hhqqi4x', answer)
          print('held', kind == fcntl.F_WRLCK, start, length, holder == pid)
      other(whoHolds)
      kill(pid)
      print('released', other(posix(EX, 0, 100)))
      """,
      prints: [
        "flock 11 11 0", "released 0", "shared 0 11", "range 0 11 0", "held True 10 10 True",
        "released 0",
      ])
  }

  @Test func `shows what one process writes to a map to all others, and a private map to none`()
    throws
  {
    try expectOnBoth(
      """
      store('f', b'-' * 9000)
      f = os.open('f', os.O_RDWR)
      shared = mmap.mmap(f, 9000)
      private = mmap.mmap(f, 9000, flags=mmap.MAP_PRIVATE)
      def show(name): print(name, content('f')[:6], os.pread(f, 4, 8000))
      shared[0:3] = b'map'; end(process(lambda: show('shared')))
      private[3:6] = b'own'; end(process(lambda: show('private')))
      def write(): g = os.open('f', os.O_RDWR); os.pwrite(g, b'file', 8000)
      end(process(write)); print('written', shared[8000:8004], private[3:6])
      def map():
          m = mmap.mmap(os.open('f', os.O_RDWR), 9000); m[8000:8004] = b'late'
      end(process(map)); print('mapped', shared[8000:8004], os.pread(f, 4, 8000))
      """,
      prints: [
        "shared b'map---' b'----'", "private b'map---' b'----'", "written b'file' b'own'",
        "mapped b'late' b'late'",
      ])
  }

  @Test func `ends a map where its file was cut, and shows zeros where it grew again`() throws {
    try expectOnBoth(
      """
      store('f', b'-' * 8192)
      f = os.open('f', os.O_RDWR)
      m = mmap.mmap(f, 8192)
      def touch(place): return lambda: 0 if m[place] == 45 else 1
      print('before', end(process(touch(4096))))
      os.ftruncate(f, 100)
      print('cut', end(process(touch(50))), end(process(touch(4096))) == -signal.SIGBUS)
      print('tail', m[100:4096] == bytes(3996))
      os.ftruncate(f, 8192)
      print('grown', m[99], m[100], m[8191], content('f') == b'-' * 100 + bytes(8092))
      m[8191] = 7; print('written', content('f')[8190:])
      """,
      prints: [
        "before 0", "cut 0 True", "tail True", "grown 45 0 0 True", "written b'\\x00\\x07'",
      ])
  }

  @Test func `stores what was written to a map, when it is synced`() throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import mmap, os
        f = os.open('f', os.O_CREAT | os.O_RDWR); os.ftruncate(f, 4096)
        m = mmap.mmap(f, 4096); m[0:3] = b'map'
        print('written'); input(); m.flush(); print('synced'); input()
        """)
      #expect(try app.line() == "written")
      #expect(mount.stored("/f")?.prefix(3) == [0, 0, 0])
      try app.go()
      #expect(try app.line() == "synced")
      #expect(mount.stored("/f")?.prefix(3) == Array("map".utf8)[...])
    }
  }

  @Test func `goes on with what has no name any more but is in use`() throws {
    try expectOnBoth(
      """
      os.mkdir('d'); home = os.open('.', os.O_RDONLY); os.chdir('d'); os.rmdir('../d')
      print('folder', os.stat('.').st_nlink, word(lambda: open('x', 'w')), os.listdir('.'))
      os.fchdir(home)
      os.mkfifo('p'); p = os.open('p', os.O_RDWR); os.unlink('p'); os.fchmod(p, 0o600)
      os.write(p, b'through'); print('fifo', os.read(p, 9), oct(os.fstat(p).st_mode))
      store('f', b'x'); f = os.open('f', os.O_PATH); os.unlink('f')
      print('path', os.fstat(f).st_nlink, os.fstat(f).st_size)
      s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen()
      c = socket.socket(socket.AF_UNIX); c.connect('s'); os.unlink('s')
      c.send(b'by name'); print('socket', s.accept()[0].recv(9), os.listdir('.'))
      """,
      prints: [
        "folder 0 ENOENT []", "fifo b'through' 0o10600", "path 0 1", "socket b'by name' []",
      ])
  }
}
