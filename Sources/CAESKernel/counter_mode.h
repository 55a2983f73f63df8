/* Counter mode in registers of LANES blocks; included once for each width, by aes.c only. */

#define REGISTER_BYTES (16 * LANES)

/// Encrypts `registers` registers of counters, from `first` on, which do not carry out of their low
/// 64 bits; both halves of a counter are in the processor's own order. Near ones do not even carry
/// out of their last byte: that saves an operation a register on units that rounds want as well.
TARGET static inline __attribute__((always_inline)) void NAME(batch)(
    const struct caes_schedule *schedule, VECTOR first, const uint8_t *from, uint8_t *to,
    const int registers, const int are_near) {
  VECTOR state[8];
  const VECTOR whitening = ROUND_KEY(schedule->rounds[0]), block = SHUFFLE(first, REVERSAL);
#pragma clang loop unroll(full)
  for (int i = 0; i < registers; i++) {
    const VECTOR counter = are_near ? ADD_BYTES(block, LAST_BYTE(LANES * i))
                                    : SHUFFLE(ADD(first, STEP(LANES * i)), REVERSAL);
    state[i] = XOR(counter, whitening);
  }
#pragma clang loop unroll(full)
  for (int round = 1; round < 14; round++) {
    const VECTOR key = ROUND_KEY(schedule->rounds[round]);
#pragma clang loop unroll(full)
    for (int i = 0; i < registers; i++) state[i] = ENCRYPT(state[i], key);
  }
  const VECTOR key = ROUND_KEY(schedule->rounds[14]);
#pragma clang loop unroll(full)
  for (int i = 0; i < registers; i++) {
    const size_t place = (size_t)i * REGISTER_BYTES;
    STORE(to + place, XOR(LOAD(from + place), ENCRYPT_LAST(state[i], key)));
  }
}

/// Encrypts blocks one at a time: the last ones, and those among which a counter carries.
TARGET static void NAME(single)(
    const struct caes_schedule *schedule, block_number counter, const uint8_t *from, uint8_t *to,
    size_t count) {
  uint8_t spare[REGISTER_BYTES];
  for (size_t done = 0; done < count; done += 16, counter++) {
    const size_t bytes = count - done < 16 ? count - done : 16;
    memset(spare, 0, sizeof spare);
    memcpy(spare, from + done, bytes);
    NAME(batch)(schedule, BLOCKS(counter >> 64, counter), spare, spare, 1, 1);
    memcpy(to + done, spare, bytes);
  }
  memset(spare, 0, sizeof spare);
  __asm__ volatile("" : : "r"(spare) : "memory");
}

/// Encrypts whole registers of counters that do not carry; eight at a time keep the units busy.
TARGET static void NAME(plain)(
    const struct caes_schedule *schedule, block_number counter, const uint8_t *from, uint8_t *to,
    size_t registers) {
  VECTOR first = BLOCKS(counter >> 64, counter);
  uint8_t last = (uint8_t)counter;
/* Constants, so that a register is one, and the steps are, too. */
#define MANY(n)                                           \
  for (; registers >= n; registers -= n) {                \
    if (last <= 256 - n * LANES) {                        \
      NAME(batch)(schedule, first, from, to, n, 1);       \
    } else {                                              \
      NAME(batch)(schedule, first, from, to, n, 0);       \
    }                                                     \
    first = ADD(first, STEP(LANES * n));                  \
    last += LANES * n;                                    \
    from += n * REGISTER_BYTES, to += n * REGISTER_BYTES; \
  }
  MANY(8)
  MANY(4)
  MANY(2)
  MANY(1)
#undef MANY
}

TARGET static void NAME(apply)(
    const struct caes_schedule *schedule, const uint8_t *block, const uint8_t *from, uint8_t *to,
    size_t count) {
  block_number counter = number_of(block);
  while (count > 0) {
    /* Blocks before the low half carries, less one, so that the number fits. */
    const uint64_t room = UINT64_MAX - (uint64_t)counter;
    const size_t registers = (count / 16 < room ? count / 16 : room) / LANES;
    size_t bytes = registers * REGISTER_BYTES;
    if (registers > 0) {
      NAME(plain)(schedule, counter, from, to, registers);
    } else {
      /* The end, or the way to the carry and over it. */
      bytes = count < REGISTER_BYTES ? count : REGISTER_BYTES;
      NAME(single)(schedule, counter, from, to, bytes);
    }
    counter += (bytes + 15) / 16;
    from += bytes, to += bytes, count -= bytes;
  }
}

TARGET static uint64_t NAME(rounds)(uint64_t repetitions) {
  /* Eight registers hide the latency of a round; all start apart, and none can be left out. */
  VECTOR state[8];
  const VECTOR key = STEP(0x5eed);
  for (int i = 0; i < 8; i++) state[i] = STEP(i);
  for (uint64_t repetition = 0; repetition < repetitions; repetition++) {
#pragma clang loop unroll(full)
    for (int round = 0; round < 8; round++) {
#pragma clang loop unroll(full)
      for (int i = 0; i < 8; i++) state[i] = ENCRYPT(state[i], key);
    }
  }
  for (int i = 0; i < 8; i++) __asm__ volatile("" : : "x"(state[i]));
  return repetitions * 64 * LANES;
}

#undef NAME
#undef TARGET
#undef LANES
#undef VECTOR
#undef LOAD
#undef STORE
#undef ROUND_KEY
#undef XOR
#undef ADD
#undef SHUFFLE
#undef ENCRYPT
#undef ENCRYPT_LAST
#undef BLOCKS
#undef STEP
#undef ADD_BYTES
#undef LAST_BYTE
#undef REVERSAL
#undef REGISTER_BYTES
