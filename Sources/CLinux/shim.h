#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
/// Opens a pidfd; Glibc's module lacks the call.
static inline int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
