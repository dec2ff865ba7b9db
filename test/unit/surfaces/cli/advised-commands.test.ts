import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandsOf, parsedBy } from '../../../helpers/command-lines.ts'

const source = join(import.meta.dirname, '..', '..', '..', '..', 'src')

/** What messages, comments and help call by its whole line, as `exomonad daemon start`. */
function advised(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }))
    if (/\.(?:ts|json)$/.test(file))
      for (const [, line = ''] of readFileSync(join(source, file), 'utf8').matchAll(
        /`exomonad ([a-z][^`\\$\n]*)\\?`/g,
      ))
        found.set(line, file)
  return found
}

/** A command that is only called by its name lacks what it needs. */
const MENTIONED = /^commander\.(?:missing|optionMissing|help)/

describe('the commands that exomonad tells people to run', () => {
  it('are there, and take what is written', async () => {
    const lines = [...advised()]
    expect(lines.length).toBeGreaterThan(50)
    const wrong: string[] = []
    for (const [line, file] of lines)
      for (const words of commandsOf(`exomonad ${line}`))
        await parsedBy(words.slice(1)).catch((error: unknown) => {
          if (!MENTIONED.test((error as CommanderError).code))
            wrong.push(`${file}: exomonad ${line}: ${String(error)}`)
        })
    expect(wrong).toEqual([])
  }, 120_000)
})
