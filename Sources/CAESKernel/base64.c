#include "CAESKernel.h"
#include "processor.h"

#if defined(__x86_64__)
#include <immintrin.h>

/// 32 characters out of the first 12 bytes of each half (after Muła and Lemire).
__attribute__((target("avx2"))) static inline __m256i characters(__m256i bytes) {
  /* Each group of three as 1, 0, 2, 1: its four values then lie in two words, and multiplications
     shift them into bytes of their own. */
  const __m256i groups = _mm256_shuffle_epi8(
      bytes, _mm256_broadcastsi128_si256(
                 _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10)));
  const __m256i outer = _mm256_mulhi_epu16(
      _mm256_and_si256(groups, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
  const __m256i inner = _mm256_mullo_epi16(
      _mm256_and_si256(groups, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
  const __m256i values = _mm256_or_si256(outer, inner);
  /* What to add: 13 for a capital, 0 for a small letter, 1 to 10 for a number, 11 and 12. */
  const __m256i capital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
  const __m256i kind = _mm256_or_si256(
      _mm256_subs_epu8(values, _mm256_set1_epi8(51)),
      _mm256_and_si256(capital, _mm256_set1_epi8(13)));
  const __m256i steps = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
      '0' - 52, '0' - 52, '-' - 62, '_' - 63, 'A', 0, 0));
  return _mm256_add_epi8(values, _mm256_shuffle_epi8(steps, kind));
}

__attribute__((target("avx2"))) static size_t encode_wide(
    const uint8_t *from, size_t count, uint8_t *to) {
  size_t done = 0;
  /* The second half is read as 16 bytes, of which 12 are taken. */
  for (; count - done >= 28; done += 24, to += 32) {
    const __m256i bytes = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const void *)(from + done))),
        _mm_loadu_si128((const void *)(from + done + 12)), 1);
    _mm256_storeu_si256((void *)to, characters(bytes));
  }
  return done;
}

/// All ones where a character is one of `first` to `last`.
__attribute__((target("avx2"))) static inline __m256i is_among(
    __m256i text, const char first, const char last) {
  const __m256i distance = _mm256_sub_epi8(text, _mm256_set1_epi8(first));
  const __m256i largest = _mm256_set1_epi8((char)(last - first));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(distance, largest), distance);
}

__attribute__((target("avx2"))) static size_t decode_wide(
    const uint8_t *from, size_t count, uint8_t *to) {
  size_t done = 0;
  /* 32 bytes are written for 24; the next 8 have to be there. */
  for (; count - done >= 44; done += 32, to += 24) {
    const __m256i text = _mm256_loadu_si256((const void *)(from + done));
    __m256i known = _mm256_setzero_si256(), steps = _mm256_setzero_si256();
#define KIND(first, last, value)                                                             \
  {                                                                                          \
    const __m256i mask = is_among(text, first, last);                                        \
    known = _mm256_or_si256(known, mask);                                                    \
    steps = _mm256_or_si256(                                                                 \
        steps, _mm256_and_si256(mask, _mm256_set1_epi8((char)((value) - (first)))));         \
  }
    KIND('A', 'Z', 0)
    KIND('a', 'z', 26)
    KIND('0', '9', 52)
    KIND('-', '-', 62)
    KIND('_', '_', 63)
#undef KIND
    if (_mm256_movemask_epi8(known) != -1) break;
    /* Four values become 24 bits of a word, whose bytes are then put in order and side by side. */
    const __m256i pairs = _mm256_maddubs_epi16(
        _mm256_add_epi8(text, steps), _mm256_set1_epi32(0x01400140));
    const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i bytes = _mm256_shuffle_epi8(
        groups, _mm256_broadcastsi128_si256(
                    _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1)));
    _mm256_storeu_si256(
        (void *)to,
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7)));
  }
  return done;
}

size_t caes_base64url_encode(const uint8_t *from, size_t count, uint8_t *to) {
  return caes_processor() & caes_has_avx2 ? encode_wide(from, count, to) : 0;
}

size_t caes_base64url_decode(const uint8_t *from, size_t count, uint8_t *to) {
  return caes_processor() & caes_has_avx2 ? decode_wide(from, count, to) : 0;
}

#else

size_t caes_base64url_encode(const uint8_t *from, size_t count, uint8_t *to) { return 0; }
size_t caes_base64url_decode(const uint8_t *from, size_t count, uint8_t *to) { return 0; }

#endif
