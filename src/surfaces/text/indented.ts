import { printable } from './printable.ts'

/** Text of others below a line that says whose it is. */
export const indented = (text: string): string[] =>
  printable(text)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
