/**
 * What a command that was run over SSH ends with where it was not begun: its folder can’t be
 * entered (no program of ours ends so), or there is no such program, as shells have it.
 */
export const NO_FOLDER = 113
export const NO_PROGRAM = 127
