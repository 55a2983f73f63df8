/// The tables of an image, format 2.
///
/// Bytes of pages, attributes and pending data lie in `contents`, each once, however many views
/// share them. `checks` holds a sum over each of the tables that a save replaces. View 0 is the live
/// one, 1 the durable one, the others are snapshots. `operations` holds the log, a segment in a row, and
/// grows with each save.
enum ImageSchema {
  static let tables = [
    "CREATE TABLE settings(name TEXT, value)",
    "CREATE TABLE checks(name TEXT, sum INTEGER)",
    "CREATE TABLE domains(position INTEGER PRIMARY KEY, name TEXT, prefix TEXT, profile TEXT)",
    "CREATE TABLE sealed(position INTEGER PRIMARY KEY, prefix TEXT)",
    "CREATE TABLE views(view INTEGER PRIMARY KEY, name TEXT)",
    """
    CREATE TABLE inodes(view INTEGER, inode INTEGER, kind INTEGER, mode INTEGER, user INTEGER,
      owners INTEGER, size INTEGER, accessed INTEGER, modified INTEGER, changed INTEGER,
      target BLOB, parent INTEGER, name BLOB)
    """,
    "CREATE TABLE entries(view INTEGER, directory INTEGER, name BLOB, inode INTEGER)",
    "CREATE TABLE attributes(view INTEGER, inode INTEGER, name TEXT, content INTEGER)",
    "CREATE TABLE pages(view INTEGER, inode INTEGER, page INTEGER, content INTEGER)",
    "CREATE TABLE contents(content INTEGER PRIMARY KEY, bytes BLOB)",
    """
    CREATE TABLE changes(sequence INTEGER PRIMARY KEY, word TEXT, owner INTEGER, operation INTEGER,
      domain INTEGER, time INTEGER, item INTEGER, issued INTEGER, first INTEGER, second INTEGER,
      name BLOB, content INTEGER, mode INTEGER, user INTEGER, owners INTEGER, accessed INTEGER,
      modified INTEGER)
    """,
    operations,
  ]

  /// What format 1 did not have.
  static let operations =
    "CREATE TABLE operations(first INTEGER PRIMARY KEY, count INTEGER, bytes BLOB, sum INTEGER)"

  /// The tables that a save replaces, by name, with the number of their columns.
  static let columnCounts = [
    ("checks", 2), ("settings", 2), ("domains", 4), ("sealed", 2), ("views", 2), ("inodes", 13),
    ("entries", 4),
    ("attributes", 4), ("pages", 4), ("contents", 2), ("changes", 17),
  ]
}
