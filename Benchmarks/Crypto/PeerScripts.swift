/// What the processes of other languages run. Each says `ready VERSION`, and then answers lines:
/// `check KEY COUNTER MESSAGE` with the ciphertext, all hexadecimal, and `WORK BYTES COUNT` with the
/// nanoseconds of one piece of that work, in the best of three batches.
enum PeerScripts {
  static let node = """
    const crypto = require('crypto'), mode = 'aes-256-ctr'
    const key = Buffer.alloc(32, 7), one = Buffer.alloc(16)
    one[15] = 1
    const keys = new Map(), blobs = new Map()
    function best(count, body) {
      let best = Infinity
      for (let round = 0; round < 3; round++) {
        const start = process.hrtime.bigint()
        for (let i = 0; i < count; i++) body()
        best = Math.min(best, Number(process.hrtime.bigint() - start) / count)
      }
      return best
    }
    function set(text) {
      const key = crypto.randomBytes(32), cipher = crypto.createCipheriv(mode, key, one)
      keys.set('session', key.toString('hex'))
      blobs.set('session', cipher.update(text, 'utf8', 'hex') + cipher.final('hex'))
    }
    function get() {
      const key = Buffer.from(keys.get('session'), 'hex')
      const cipher = crypto.createDecipheriv(mode, key, one)
      return cipher.update(blobs.get('session'), 'hex', 'utf8') + cipher.final('utf8')
    }
    const works = {
      check: (key, counter, message) => crypto
        .createCipheriv(mode, Buffer.from(key, 'hex'), Buffer.from(counter, 'hex'))
        .update(message, 'hex', 'hex'),
      kept: (bytes, count) => {
        const message = Buffer.alloc(+bytes), cipher = crypto.createCipheriv(mode, key, one)
        return best(count, () => cipher.update(message))
      },
      fresh: (bytes, count) => {
        const message = Buffer.alloc(+bytes)
        return best(count, () => {
          const cipher = crypto.createCipheriv(mode, key, one)
          return [cipher.update(message), cipher.final()]
        })
      },
      set: (bytes, count) => {
        const text = 'x'.repeat(bytes)
        return best(count, () => set(text))
      },
      get: (bytes, count) => {
        set('x'.repeat(bytes))
        return best(count, get)
      },
    }
    console.log('ready ' + process.version)
    require('readline').createInterface({ input: process.stdin }).on('line', line => {
      const [work, ...values] = line.split(' ')
      console.log(works[work](...values))
    })
    """

  static let pyaes = """
    import sys, time, pyaes
    def cipher(key, counter):
        return pyaes.AESModeOfOperationCTR(key, counter=pyaes.Counter(counter))
    def best(count, body):
        best = float("inf")
        for round in range(3):
            start = time.perf_counter_ns()
            for i in range(count):
                body()
            best = min(best, (time.perf_counter_ns() - start) / count)
        return best
    key = bytes([7] * 32)
    print("ready", ".".join(map(str, pyaes.VERSION)), flush=True)
    for line in sys.stdin:
        work, *values = line.split()
        if work == "check":
            key_bytes, counter, message = map(bytes.fromhex, values)
            answer = cipher(key_bytes, int.from_bytes(counter, "big")).encrypt(message).hex()
        else:
            message, count = bytes(int(values[0])), int(values[1])
            kept = cipher(key, 1)
            if work == "kept":
                answer = best(count, lambda: kept.encrypt(message))
            else:
                answer = best(count, lambda: cipher(key, 1).encrypt(message))
        print(answer, flush=True)
    """
}
