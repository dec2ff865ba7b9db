import { UsageError } from '../exit-codes.ts'

/** Reads the value of this option, which is a whole number. Throws UsageError for anything else. */
export const wholeNumber =
  (option: string) =>
  (text: string): number => {
    if (/^\d+$/.test(text)) return Number(text)
    throw new UsageError(`${option} ${text}: expected a whole number.`)
  }
