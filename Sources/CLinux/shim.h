#pragma once
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <linux/sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

/* Glibc's module lacks these calls, or hides them behind variadics, casts and macros. */

static inline int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static inline int clinux_pidfd_signal(int pidfd, int number) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, number, (void *)0, 0);
}

static inline pid_t clinux_thread_id(void) { return (pid_t)syscall(SYS_gettid); }

static inline int clinux_parent_death_signal(int number) {
  return prctl(PR_SET_PDEATHSIG, number, 0, 0, 0);
}

/// Orphans among the descendants become children of this process, and stay findable.
static inline int clinux_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

static inline int clinux_set_nonblocking(int fd, int on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return flags;
  return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline int clinux_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 3); }

static inline int clinux_open(const char *path, int flags, unsigned mode) {
  return open(path, flags | O_CLOEXEC, mode);
}

/* `_GNU_SOURCE` would give Glibc's types other shapes than in Swift's module, so these calls are
   made or declared by hand. */

extern int execvpe(const char *file, char *const arguments[], char *const environment[]);
extern char **environ;

extern int pipe2(int ends[2], int flags);
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

static inline int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

static inline int clinux_accept(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC); }

/// Names the calling thread; Linux keeps 15 bytes.
static inline void clinux_name_thread(const char *name) {
  char kept[16] = {0};
  strncpy(kept, name, 15);
  prctl(PR_SET_NAME, kept, 0, 0, 0);
}

static inline char *const *clinux_environment(void) { return environ; }

/// One heap for all threads, that takes this much from the kernel at a time and keeps as much of what
/// is freed at its end. A heap of a thread grows by one system call for each page.
static inline int clinux_one_heap(int bytes) {
  return mallopt(M_ARENA_MAX, 1) && mallopt(M_TOP_PAD, bytes) && mallopt(M_TRIM_THRESHOLD, bytes);
}

/// Ends what glibc has asked the kernel for in every thread: to write down its processor each time it
/// runs again. glibc sees that, and asks with a call; a kernel or a glibc without it changes nothing.
static inline void clinux_leave_restartable_sequences(void) {
#if defined(RSEQ_SIG) && __has_builtin(__builtin_thread_pointer)
  if (__rseq_size == 0) return;
  /* As many bytes as glibc registers, which may use fewer. */
  syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32, 1 /* unregister */, RSEQ_SIG);
#endif
}

/// The magic number of the file system that holds a path; -1 when there is no such path.
static inline int64_t clinux_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (int64_t)status.f_type : -1;
}

enum { clinux_processors_max = 1024 };

/// Confines the calling thread to one processor.
static inline int clinux_pin(int processor) {
  unsigned char mask[clinux_processors_max / 8] = {0};
  if (processor < 0 || processor >= clinux_processors_max) { errno = EINVAL; return -1; }
  mask[processor / 8] = (unsigned char)(1 << processor % 8);
  return (int)syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}

/// Writes the numbers of the calling thread's processors; returns how many, or -1.
static inline int clinux_processors(int *numbers, int capacity) {
  unsigned char mask[clinux_processors_max / 8] = {0};
  if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) return -1;
  int count = 0;
  for (int i = 0; i < clinux_processors_max && count < capacity; i++)
    if (mask[i / 8] >> i % 8 & 1) numbers[count++] = i;
  return count;
}

/// Binds or connects a Unix socket; the path must fit `sun_path`.
static inline int clinux_unix_address(int fd, const char *path, int binds) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) { errno = ENAMETOOLONG; return -1; }
  strcpy(address.sun_path, path);
  return binds ? bind(fd, (struct sockaddr *)&address, sizeof address)
               : connect(fd, (struct sockaddr *)&address, sizeof address);
}

enum { clinux_passed_max = 8 };

/// Sends bytes, and with them at most `clinux_passed_max` descriptors.
static inline ssize_t clinux_send(
    int fd, const void *bytes, size_t count, const int *passed, size_t passed_count) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  union { struct cmsghdr header; char space[CMSG_SPACE(clinux_passed_max * sizeof(int))]; } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (passed_count > clinux_passed_max) { errno = EINVAL; return -1; }
  if (passed_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(passed_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(passed_count * sizeof(int));
    memcpy(CMSG_DATA(header), passed, passed_count * sizeof(int));
  }
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/// Receives bytes, and the descriptors that came with them: their numbers go to `passed`, which has
/// room for `clinux_passed_max`, and their count to `*passed_count`.
static inline ssize_t clinux_receive(
    int fd, void *bytes, size_t count, int *passed, size_t *passed_count) {
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  union { struct cmsghdr header; char space[CMSG_SPACE(clinux_passed_max * sizeof(int))]; } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  for (struct cmsghdr *h = CMSG_FIRSTHDR(&message); h; h = CMSG_NXTHDR(&message, h)) {
    if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS) continue;
    *passed_count = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(passed, CMSG_DATA(h), *passed_count * sizeof(int));
  }
  return received;
}

/// What `clinux_spawn` starts.
struct clinux_start {
  const char *file;
  char *const *arguments;
  char *const *environment;
  const char *directory;       /* or NULL */
  const int *descriptors;      /* the child's 0, 1, 2, …; -1 is /dev/null */
  int descriptor_count;
  int dies_with_parent;        /* with the calling *thread*, as the kernel defines it */
  int leads_group;             /* of processes: what a terminal sends to ours does not reach it */
  int born;                    /* or -1: where the child writes its process id, …  */
  int go;                      /* … and where it then waits for a byte before it goes on */
};

/// Starts a program as `vfork` and `execvpe` do, with nothing inherited but what is named.
///
/// `posix_spawn` cannot set a parent-death signal, which must be set before the program runs.
/// A failure comes through a pipe, not through the shared memory: sanitizers turn `vfork` into `fork`.
/// Returns the process id, or -1 with `errno`.
static __attribute__((noinline, unused)) pid_t clinux_spawn(const struct clinux_start *start) {
  pid_t parent = getpid();
  sigset_t all, before;
  int report[2] = {-1, -1}; /* closed by exec, or bringing errno */
  if (pipe2(report, O_CLOEXEC) != 0) return -1;
  const int writing = report[1];
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t child = vfork();
  if (child == 0) {
    /* Shares memory with the parent until exec: no handler may run, nothing may be allocated. */
    int reporting = fcntl(writing, F_DUPFD_CLOEXEC, 16);
    if (reporting < 0) _exit(126);
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int i = 1; i < NSIG; i++) sigaction(i, &standard, 0);
    if (start->leads_group && setpgid(0, 0) != 0) goto failed;
    if (start->dies_with_parent) {
      if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) goto failed;
      if (getppid() != parent) _exit(127);
    }
    if (start->born >= 0) {
      pid_t self = getpid();
      char byte;
      if (write(start->born, &self, sizeof self) != sizeof self) goto failed;
      if (read(start->go, &byte, 1) != 1) { errno = ECANCELED; goto failed; }
    }
    int count = start->descriptor_count;
    int moved[16];
    if (count > 16) { errno = EINVAL; goto failed; }
    for (int i = 0; i < count; i++) {
      int from = start->descriptors[i];
      int opened = from < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : from;
      if (opened < 0) goto failed;
      moved[i] = fcntl(opened, F_DUPFD_CLOEXEC, count < 3 ? 3 : count);
      if (moved[i] < 0) goto failed;
    }
    for (int i = 0; i < count; i++) if (dup2(moved[i], i) < 0) goto failed;
    if (reporting != count) {
      if (dup3(reporting, count, O_CLOEXEC) < 0) goto failed;
      reporting = count;
    }
    /* Closed before the directory is entered: one of them may be what serves the directory, and
       would keep it from ending while this process waits for it. */
    syscall(SYS_close_range, (unsigned)count + 1, ~0u, 0u);
    if (start->directory && chdir(start->directory) != 0) goto failed;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    execvpe(start->file, start->arguments, start->environment);
  failed:;
    int reason = errno;
    if (write(reporting, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
  }
  int failure = child < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  close(writing);
  if (child > 0 && read(report[0], &failure, sizeof failure) > 0)
    syscall(SYS_waitid, 1 /* P_PID */, child, (void *)0, 4 /* WEXITED */, (void *)0);
  close(report[0]);
  if (failure != 0) { errno = failure; return -1; }
  return child;
}

/// Starts a program as the child of a process that only waits for it, and ends as it does.
///
/// So what the program does to its parent, it does not do to this process. The one between dies with
/// the calling thread, and the program with it. Returns its process id, or -1 with `errno`.
static __attribute__((noinline, unused)) pid_t clinux_spawn_guarded(
    const struct clinux_start *start) {
  pid_t parent = getpid();
  int report[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) return -1;
  pid_t guard = fork();
  if (guard == 0) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent) _exit(127);
    pid_t child = clinux_spawn(start);
    int failure = child < 0 ? errno : 0, status = 0;
    if (failure != 0) _exit(write(report[1], &failure, sizeof failure) < 0 ? 126 : 127);
    /* Pipes of the program end with it, not with this process; the report's end says that it runs,
       also when the first thing that it did was to kill this process. */
    syscall(SYS_close_range, 0u, ~0u, 0u);
    while (syscall(SYS_wait4, child, &status, 0, (void *)0) < 0 && errno == EINTR) {}
    if ((status & 0x7f) != 0) kill(getpid(), status & 0x7f);
    _exit((status >> 8) & 0xff);
  }
  int failure = guard < 0 ? errno : 0;
  close(report[1]);
  while (guard > 0 && read(report[0], &failure, sizeof failure) < 0 && errno == EINTR) {}
  close(report[0]);
  if (failure == 0) return guard;
  if (guard > 0) syscall(SYS_wait4, guard, (void *)0, 0, (void *)0);
  errno = failure;
  return -1;
}

/// Forks a brother: the new process is a child of this one's parent, which waits for it as for the
/// programs that it starts itself.
///
/// `fork` cannot do that, and a bare `clone` leaves glibc with the wrong number of the thread; so the
/// kernel writes the new one where glibc keeps it. Only for a process with one thread: no handler
/// of `pthread_atfork` runs, and no lock may be held.
static inline pid_t clinux_fork_brother(void) {
  int *number = 0;
  if (prctl(PR_GET_TID_ADDRESS, &number, 0, 0, 0) != 0) return -1;
  /* Where the number goes is the fourth argument or the fifth, by machine; the other is not used. */
  unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  return (pid_t)syscall(SYS_clone, flags, 0, 0, number, number);
}

extern char *program_invocation_name; /* the first word, where the kernel looks for it */

/// Replaces the command line that `/proc` shows by words of the same size; each ends in a zero.
static inline void clinux_show_command_line(const void *words, size_t bytes) {
  memcpy(program_invocation_name, words, bytes);
}

/// Replaces this process; returns only to report failure through `errno`.
static inline int clinux_replace(const char *file, char *const *arguments) {
  return execvp(file, arguments);
}
