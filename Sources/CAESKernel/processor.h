#pragma once

/* What this processor has, and the kernel of the system keeps when threads take turns. */

enum { caes_has_aes = 1, caes_has_avx2 = 2, caes_has_vaes = 4, caes_is_known = 8 };

/// The features; asked for once, because a virtual machine may answer in its host.
int caes_processor(void);
