#pragma once
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>
/// The importer cannot see cast macros.
static inline sqlite3_destructor_type csqlite_copy(void) { return SQLITE_TRANSIENT; }
/// `sqlite3_test_control` is variadic. The next use of the generator starts from `seed`.
static inline int csqlite_seed(int seed) {
  return sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, seed, (sqlite3 *)0);
}
/// `sqlite3_config` is variadic. Before the first use of the library; later it is refused.
static inline int csqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
/// `sqlite3_db_config` is variadic. Closing the last connection leaves the WAL as it is.
static inline int csqlite_keep_wal(sqlite3 *handle) {
  return sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
/// Takes the place of `fchown(2)`.
static int csqlite_leave_owner(int file, unsigned user, unsigned group) {
  (void)file, (void)user, (void)group;
  return 0;
}
/// Keeps the default VFS from giving files to the owner of their database, as it does for root alone.
static inline int csqlite_leave_owners(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(0);
  return vfs->xSetSystemCall(vfs, "fchown", (sqlite3_syscall_ptr)csqlite_leave_owner);
}
/// What SQLite allocates for each open file of a VFS; it casts a pointer to `base`.
struct csqlite_file {
  sqlite3_file base;
  void *owner;
};
/// `sqlite3_mprintf` is variadic. The caller frees the copy with `sqlite3_free`.
static inline char *csqlite_copy_text(const char *text) { return sqlite3_mprintf("%s", text); }
/// Memory behind a descriptor, for an index that several connections map; Glibc's module lacks it.
static inline int csqlite_memory(void) {
  return (int)syscall(SYS_memfd_create, "sqlite-index", 1u /* close on exec */);
}
