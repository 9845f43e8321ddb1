// How soon an answer is wanted.

/** What is on screen and changes with every key. */
export const URGENT = 0;
/** What stands beside it. */
export const SOON = 1;
/** What can wait until nobody types. */
export const LATER = 2;
