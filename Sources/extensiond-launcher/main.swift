// Filled in later.
