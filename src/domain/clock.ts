/** Time as an argument, so that tests decide it. Milliseconds since the epoch. */
export type Clock = () => number
