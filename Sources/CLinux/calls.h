#pragma once
#include <signal.h>
#include <sys/prctl.h>
#include <sys/xattr.h>
/// `prctl` is variadic: the kernel sends SIGKILL to the caller when its parent thread ends.
static inline int clinux_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }
/// Sets an extended attribute; Glibc's module lacks the header.
static inline int clinux_fsetxattr(
    int fd, const char *name, const void *value, size_t size) {
  return fsetxattr(fd, name, value, size, 0);
}
