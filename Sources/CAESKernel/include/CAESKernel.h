#pragma once
#include <stddef.h>
#include <stdint.h>

/* What portable code cannot have: AES-256 in counter mode, hexadecimal and Base64url text with the
   vector instructions of the processor at hand, chosen at run time. */

/// How wide the registers are in which the kernel encrypts; 0 where it cannot: processors without
/// AES instructions, and all but x86-64.
enum caes_width { caes_none = 0, caes_128 = 128, caes_256 = 256 };

/// The widest registers of this processor that the kernel has a path for. Narrower ones work too.
enum caes_width caes_widest(void);

/// The 15 round keys of AES-256. Secret: to be wiped when done with.
struct caes_schedule { _Alignas(16) uint8_t rounds[15][16]; };

/// Expands a key of 32 bytes. Only where there is a width.
void caes_expand(struct caes_schedule *schedule, const uint8_t *key);

/// Overwrites the round keys; the compiler cannot drop it.
void caes_wipe(struct caes_schedule *schedule);

/// Encrypts or decrypts `count` bytes, from the block `counter` on (16 bytes, big-endian, wrapping
/// as a whole). `to` and `from` are the same or do not overlap. The width is one that the processor has.
void caes_apply(
    enum caes_width width, const struct caes_schedule *schedule, const uint8_t *counter,
    const uint8_t *from, uint8_t *to, size_t count);

/// Does nothing but AES rounds, in as many independent registers as keep the units busy; returns
/// how many rounds of one 16-byte block that were. Nothing in AES can be faster than this.
uint64_t caes_rounds(enum caes_width width, uint64_t repetitions);

/// Takes one cycle of the processor for each step that it returns: operations of one cycle, each
/// waiting for the one before.
uint64_t caes_cycles(uint64_t repetitions);

/// Writes two lower-case digits for each byte.
void caes_hex_encode(const uint8_t *from, size_t count, uint8_t *to);

/// Reads two digits of either case for each of `count` bytes; returns whether all were digits.
int caes_hex_decode(const uint8_t *from, size_t count, uint8_t *to);

/// Writes four characters of the URL-safe alphabet for each three bytes, as far as vector registers
/// go; returns how many bytes that were, a multiple of 3. The rest is the caller's.
size_t caes_base64url_encode(const uint8_t *from, size_t count, uint8_t *to);

/// Reads three bytes out of each four characters, as far as vector registers go and all are of the
/// alphabet; returns how many characters that were, a multiple of 4. `to` has room for the bytes of
/// all `count` characters, and may be written behind those that were read.
size_t caes_base64url_decode(const uint8_t *from, size_t count, uint8_t *to);
