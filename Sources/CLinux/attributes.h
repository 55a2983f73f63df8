#pragma once
#include <sys/xattr.h>

/// Sets an extended attribute of an open file; Glibc's module lacks the header.
static inline int clinux_fsetxattr(int fd, const char *name, const void *value, size_t size) {
  return fsetxattr(fd, name, value, size, 0);
}
