/** `text` in exactly `width` characters: padded with spaces, or cut. */
export function fit(text: string, width: number): string {
  return text.slice(0, width).padEnd(width)
}

/** `plural(1, 'slot')` is "1 slot", `plural(2, 'slot')` is "2 slots". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
