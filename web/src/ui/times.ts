// How long things stand that go away by themselves, in milliseconds.

/** How long something deleted can be had back. */
export const undoMs = 7000;

/** A note that asks for nothing. */
export const noteMs = 6000;

/** The list of files that were all added. */
export const trayMs = 4000;
