// The priorities of requests.

/** Visible and changing with every keystroke. */
export const URGENT = 0;
/** Visible beside it. */
export const SOON = 1;
/** Can wait until typing pauses. */
export const LATER = 2;
