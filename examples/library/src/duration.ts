/** Minutes in a text such as "45m", "2h" or "1d". */
export function parseDuration(text: string): number {
  const minutes = Number.parseInt(text, 10)
  return text.endsWith('h') ? minutes * 60 : minutes
}

/** A duration in minutes, as text. */
export function formatDuration(minutes: number): string {
  return `${minutes}m`
}
