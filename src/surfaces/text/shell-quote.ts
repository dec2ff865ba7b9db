/** Words as one line that a POSIX shell reads back as the same words. */
export const quoteForShell = (words: readonly string[]): string => words.map(quoteWord).join(' ')

export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
