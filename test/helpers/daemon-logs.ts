import { existsSync, readFileSync } from 'node:fs'

/** So many lines of each are shown: what the daemon did in the test that failed, and little more. */
const SHOWN = 40

const followed = new Set<string>()

/** Shows the end of this log with each test that fails until `forget`; `path` may not be there yet. */
export function followLog(path: string): { forget(): void } {
  followed.add(path)
  return { forget: () => void followed.delete(path) }
}

/** The last lines of the logs that are followed, oldest first. */
export function logEnds(): string[] {
  return [...followed].filter(existsSync).map((path) => {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-SHOWN)
    return `${path} ends with\n${lines.join('\n')}`
  })
}
