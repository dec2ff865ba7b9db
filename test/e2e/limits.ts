/**
 * How long a real agent CLI is waited for, milliseconds. OpenCode takes 7 s of a processor until it
 * listens and 12 s until its first turn has ended, Gemini CLI about half; three files at the same
 * time on two cores that others use as well have taken more than 60 s.
 */
export const LIMIT = 180_000
