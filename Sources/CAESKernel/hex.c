#include "CAESKernel.h"
#include "processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Both digits of a byte, the high one at the lower address.
static inline void write_digits(uint8_t byte, uint8_t *to) {
  const uint8_t nibbles[2] = {byte >> 4, byte & 0xf};
  for (int i = 0; i < 2; i++) to[i] = nibbles[i] + '0' + (nibbles[i] > 9 ? 'a' - '0' - 10 : 0);
}

/// The value of a digit; 255 for anything else. Without branches, so that loops become vector code.
static inline uint8_t nibble(uint8_t digit) {
  const uint8_t number = digit - '0', letter = (digit | 0x20) - 'a';
  const uint8_t is_number = number < 10 ? 0xff : 0, is_letter = letter < 6 ? 0xff : 0;
  return (number & is_number) | ((uint8_t)(letter + 10) & is_letter)
         | (uint8_t)~(is_number | is_letter);
}

static void encode_portably(const uint8_t *from, size_t count, uint8_t *to) {
  for (size_t i = 0; i < count; i++) write_digits(from[i], to + 2 * i);
}

static int decode_portably(const uint8_t *from, size_t count, uint8_t *to) {
  uint8_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t high = nibble(from[2 * i]), low = nibble(from[2 * i + 1]);
    seen |= high | low;
    to[i] = (uint8_t)(high << 4) | (low & 0xf);
  }
  return seen < 16;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static size_t encode_wide(
    const uint8_t *from, size_t count, uint8_t *to) {
  const __m256i digits =
      _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)"0123456789abcdef"));
  const __m256i mask = _mm256_set1_epi8(0xf);
  size_t done = 0;
  for (; count - done >= 32; done += 32) {
    /* Quarters in the order 0, 2, 1, 3: unpacking works on halves, and puts them right. */
    const __m256i bytes = _mm256_permute4x64_epi64(
        _mm256_loadu_si256((const void *)(from + done)), 0xd8);
    const __m256i high =
        _mm256_shuffle_epi8(digits, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask));
    const __m256i low = _mm256_shuffle_epi8(digits, _mm256_and_si256(bytes, mask));
    _mm256_storeu_si256((void *)(to + 2 * done), _mm256_unpacklo_epi8(high, low));
    _mm256_storeu_si256((void *)(to + 2 * done + 32), _mm256_unpackhi_epi8(high, low));
  }
  return done;
}

/// The values of 32 digits; more than 15 for what is none. A digit is taken for a number, which
/// moves all else above 15, and for a letter, likewise: the smaller value is right (after Muła).
__attribute__((target("avx2"))) static inline __m256i nibbles(__m256i text) {
  /* Nines go to 255, so that larger characters wrap, and stay where they are when 6 is taken. */
  const __m256i wrapped = _mm256_add_epi8(text, _mm256_set1_epi8((char)(0xff - '9')));
  const __m256i number = _mm256_sub_epi8(
      _mm256_subs_epu8(wrapped, _mm256_set1_epi8(6)), _mm256_set1_epi8((char)0xf0));
  const __m256i upper = _mm256_and_si256(text, _mm256_set1_epi8((char)0xdf));
  const __m256i letter = _mm256_adds_epu8(
      _mm256_sub_epi8(upper, _mm256_set1_epi8('A')), _mm256_set1_epi8(10));
  return _mm256_min_epu8(number, letter);
}

/// Returns how many bytes were read; sets `*is_valid` to whether all were digits.
__attribute__((target("avx2"))) static size_t decode_wide(
    const uint8_t *from, size_t count, uint8_t *to, int *is_valid) {
  const __m256i weights = _mm256_set1_epi16(0x0110), largest = _mm256_set1_epi8(0xf);
  __m256i seen = _mm256_setzero_si256();
  size_t done = 0;
  for (; count - done >= 32; done += 32) {
    const __m256i *at = (const void *)(from + 2 * done);
    const __m256i first = nibbles(_mm256_loadu_si256(at));
    const __m256i second = nibbles(_mm256_loadu_si256(at + 1));
    seen = _mm256_max_epu8(seen, _mm256_max_epu8(first, second));
    /* Packing works on halves; the permutation puts the quarters in their order. */
    const __m256i packed = _mm256_packus_epi16(
        _mm256_maddubs_epi16(first, weights), _mm256_maddubs_epi16(second, weights));
    _mm256_storeu_si256((void *)(to + done), _mm256_permute4x64_epi64(packed, 0xd8));
  }
  const __m256i are_digits = _mm256_cmpeq_epi8(_mm256_max_epu8(seen, largest), largest);
  *is_valid = _mm256_movemask_epi8(are_digits) == -1;
  return done;
}

void caes_hex_encode(const uint8_t *from, size_t count, uint8_t *to) {
  const size_t done = caes_processor() & caes_has_avx2 ? encode_wide(from, count, to) : 0;
  encode_portably(from + done, count - done, to + 2 * done);
}

int caes_hex_decode(const uint8_t *from, size_t count, uint8_t *to) {
  int is_valid = 1;
  const size_t done =
      caes_processor() & caes_has_avx2 ? decode_wide(from, count, to, &is_valid) : 0;
  return decode_portably(from + 2 * done, count - done, to + done) & is_valid;
}

#else

void caes_hex_encode(const uint8_t *from, size_t count, uint8_t *to) {
  encode_portably(from, count, to);
}

int caes_hex_decode(const uint8_t *from, size_t count, uint8_t *to) {
  return decode_portably(from, count, to);
}

#endif
