#pragma once
#include <sqlite3.h>
/// The importer cannot see cast macros.
static inline sqlite3_destructor_type csqlite_copy(void) { return SQLITE_TRANSIENT; }
