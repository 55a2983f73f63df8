#include "processor.h"
#include <stdatomic.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>

static int bit(uint32_t word, int place) { return word >> place & 1; }

static int ask(void) {
  uint32_t a, b, c, d, low, high;
  /* XSAVE is in use, and there is AVX. */
  if (!__get_cpuid(1, &a, &b, &c, &d) || !bit(c, 27) || !bit(c, 28)) return 0;
  const int has_aes = bit(c, 25);
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6) != 6) return 0;
  const int has_avx2 = __get_cpuid_count(7, 0, &a, &b, &c, &d) && bit(b, 5);
  return (has_aes ? caes_has_aes : 0) | (has_avx2 ? caes_has_avx2 : 0)
         | (has_aes && has_avx2 && bit(c, 9) ? caes_has_vaes : 0);
}
#else
static int ask(void) { return 0; }
#endif

int caes_processor(void) {
  /* Threads that ask at the same time all get the same answer. */
  static _Atomic int known;
  int has = atomic_load_explicit(&known, memory_order_relaxed);
  if (has == 0) {
    has = ask() | caes_is_known;
    atomic_store_explicit(&known, has, memory_order_relaxed);
  }
  return has;
}
