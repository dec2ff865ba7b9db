/** The minutes of a day, from its start up to, but not including, the next one. */
export const DAY = { start: 0, end: 1440 }
