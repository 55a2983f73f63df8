/// Takes stock of an Android phone's two halves, without changing anything.
enum AndroidInventory {}
