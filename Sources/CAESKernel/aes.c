#include "CAESKernel.h"
#include "processor.h"
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void caes_wipe(struct caes_schedule *schedule) {
  memset(schedule, 0, sizeof *schedule);
  __asm__ volatile("" : : "r"(schedule) : "memory");
}

#if defined(__x86_64__)

enum caes_width caes_widest(void) {
  const int has = caes_processor();
  return has & caes_has_vaes ? caes_256 : has & caes_has_aes ? caes_128 : caes_none;
}

/// A 128-bit number and its big-endian form in memory.
typedef unsigned __int128 block_number;

static inline block_number number_of(const uint8_t *block) {
  uint64_t high, low;
  memcpy(&high, block, 8);
  memcpy(&low, block + 8, 8);
  return (block_number)__builtin_bswap64(high) << 64 | __builtin_bswap64(low);
}

/* The same loop in both widths: registers of one block, and of two. */

#define NAME(name) name##_128
#define TARGET __attribute__((target("aes,avx")))
#define LANES 1
#define VECTOR __m128i
#define LOAD(at) _mm_loadu_si128((const __m128i *)(at))
#define STORE(at, v) _mm_storeu_si128((__m128i *)(at), v)
#define ROUND_KEY(at) _mm_load_si128((const __m128i *)(at))
#define XOR _mm_xor_si128
#define ADD _mm_add_epi64
#define SHUFFLE _mm_shuffle_epi8
#define ENCRYPT _mm_aesenc_si128
#define ENCRYPT_LAST _mm_aesenclast_si128
#define BLOCKS(high, low) _mm_set_epi64x((long long)(high), (long long)(low))
#define STEP(n) _mm_set_epi64x(0, n)
#define ADD_BYTES _mm_add_epi8
#define LAST_BYTE(n) _mm_set_epi64x((long long)(n) << 56, 0)
#define REVERSAL _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#include "counter_mode.h"

#define NAME(name) name##_256
#define TARGET __attribute__((target("aes,vaes,avx2")))
#define LANES 2
#define VECTOR __m256i
#define LOAD(at) _mm256_loadu_si256((const __m256i *)(at))
#define STORE(at, v) _mm256_storeu_si256((__m256i *)(at), v)
#define ROUND_KEY(at) _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(at)))
#define XOR _mm256_xor_si256
#define ADD _mm256_add_epi64
#define SHUFFLE _mm256_shuffle_epi8
#define ENCRYPT _mm256_aesenc_epi128
#define ENCRYPT_LAST _mm256_aesenclast_epi128
#define BLOCKS(high, low)                                                           \
  _mm256_set_epi64x(                                                                \
      (long long)(high), (long long)(low) + 1, (long long)(high), (long long)(low))
#define STEP(n) _mm256_set_epi64x(0, n, 0, n)
#define ADD_BYTES _mm256_add_epi8
#define LAST_BYTE(n) _mm256_set_epi64x((long long)(n) << 56, 0, (long long)(n) << 56, 0)
#define REVERSAL                                                                      \
  _mm256_broadcastsi128_si256(                                                        \
      _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#include "counter_mode.h"

void caes_apply(
    enum caes_width width, const struct caes_schedule *schedule, const uint8_t *counter,
    const uint8_t *from, uint8_t *to, size_t count) {
  if (width == caes_256) {
    apply_256(schedule, counter, from, to, count);
  } else {
    apply_128(schedule, counter, from, to, count);
  }
}

uint64_t caes_rounds(enum caes_width width, uint64_t repetitions) {
  return width == caes_256 ? rounds_256(repetitions) : rounds_128(repetitions);
}

/// Each word of the next round key is the word before it and the one in the same place two keys
/// before (FIPS 197, 5.2); `word` is what the key schedule's core has made, in all four places.
__attribute__((target("aes,avx"))) static inline __m128i next_key(__m128i key, __m128i word) {
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

__attribute__((target("aes,avx"))) void caes_expand(
    struct caes_schedule *schedule, const uint8_t *key) {
  __m128i *keys = (__m128i *)schedule->rounds;
  __m128i even = _mm_loadu_si128((const __m128i *)key);
  __m128i odd = _mm_loadu_si128((const __m128i *)(key + 16));
  keys[0] = even;
  keys[1] = odd;
/* The round constant has to stand in the instruction. */
#define PAIR(place, constant)                                                                \
  keys[place] = even =                                                                       \
      next_key(even, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(odd, constant), 0xff));     \
  if (place < 14)                                                                            \
    keys[place + 1] = odd =                                                                  \
        next_key(odd, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(even, 0), 0xaa))
  PAIR(2, 0x01);
  PAIR(4, 0x02);
  PAIR(6, 0x04);
  PAIR(8, 0x08);
  PAIR(10, 0x10);
  PAIR(12, 0x20);
  PAIR(14, 0x40);
#undef PAIR
}

#else

enum caes_width caes_widest(void) { return caes_none; }

/* Nobody gets here: there is no width to ask for. */

void caes_expand(struct caes_schedule *schedule, const uint8_t *key) { __builtin_trap(); }

void caes_apply(
    enum caes_width width, const struct caes_schedule *schedule, const uint8_t *counter,
    const uint8_t *from, uint8_t *to, size_t count) {
  __builtin_trap();
}

uint64_t caes_rounds(enum caes_width width, uint64_t repetitions) { __builtin_trap(); }

#endif

uint64_t caes_cycles(uint64_t repetitions) {
  uint64_t value = 1, other = 3;
  for (uint64_t i = 0; i < repetitions; i++) {
#if defined(__x86_64__)
    __asm__ volatile(".rept 64\n\txor %1, %0\n\t.endr" : "+r"(value) : "r"(other));
#elif defined(__aarch64__)
    __asm__ volatile(".rept 64\n\teor %0, %0, %1\n\t.endr" : "+r"(value) : "r"(other));
#else
#error "one dependent operation of one cycle, please"
#endif
  }
  return repetitions * 64;
}
