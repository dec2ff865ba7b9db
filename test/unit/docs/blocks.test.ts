import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withPresets } from '../../../src/config/presets.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { parseToml } from '../../../src/domain/formats/parse-toml.ts'
import { commandsOf, parsedBy } from '../../helpers/command-lines.ts'
import { blocksOf, DOC_PAGES, RUN_BY, runBlocks } from '../../helpers/doc-blocks.ts'

/**
 * Every fenced block of every page is run, or says why not. What runs: `sh` by the test that RUN_BY
 * names; where a page has none, each line is a command of `exomonad`, and is parsed by the command
 * line itself. `toml` is read as a configuration, `json` as JSON. `text` is output. Any other kind
 * has a test of its own, or `<!-- not run: reason -->` above it.
 */
const top = join(import.meta.dirname, '..', '..', '..')

/** Examples that are type-checked, and compared with the page by a test beside. */
const COMPARED: Readonly<Record<string, string>> = {
  'docs/library.md': 'test/unit/packages/subagents/docs.test.ts',
  'docs/contributing.md': 'test/unit/surfaces/cli/tool-command.test.ts',
  'docs/recipes.md': 'test/unit/examples/recipes.test.ts',
}

/** Lines of a script without what it writes into files. */
function commandLines(script: string): string[] {
  const lines: string[] = []
  let until: string | undefined
  for (const line of script.replaceAll('\\\n', ' ').split('\n')) {
    if (until === undefined) lines.push(line)
    else if (line === until) until = undefined
    const here = until === undefined ? /<<\s*'?(\w+)'?/.exec(line)?.[1] : undefined
    if (here !== undefined) until = here
  }
  return lines
}

const places = DOC_PAGES.flatMap(blocksOf).map(
  (block) => [`${block.page}:${block.line}`, block] as const,
)

describe('every block', () => {
  it.each(places)('%s is run, or says why not', (_, { page, language, notRun, text }) => {
    if (language === 'text' || notRun !== null) return
    if (language === 'toml') {
      const { error } = configSchema.safeParse(withPresets(parseToml(text)))
      expect(error?.issues ?? []).toEqual([])
    } else if (language === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow()
    else if (language === 'sh') {
      if (RUN_BY[page] !== undefined) return
      const others = commandLines(text)
        .flatMap(commandsOf)
        .filter(([program]) => program !== 'exomonad')
      expect(others, 'commands that no test runs: see test/helpers/doc-blocks.ts').toEqual([])
    } else expect(Object.keys(COMPARED), `${language} that no test reads`).toContain(page)
  })

  const commands = places.flatMap(([place, { language, text }]) =>
    language === 'sh' || language === 'bash'
      ? commandLines(text)
          .flatMap(commandsOf)
          .flatMap(([program, ...words]) => (program === 'exomonad' ? [[place, words]] : []))
      : [],
  ) as [string, string[]][]

  it('has commands that there are, with arguments that they take', async () => {
    expect(commands.length).toBeGreaterThan(50)
    const wrong: string[] = []
    for (const [place, words] of commands)
      await parsedBy(words).catch((error: unknown) =>
        wrong.push(`${place}: exomonad ${words.join(' ')}: ${String(error)}`),
      )
    expect(wrong).toEqual([])
    // It loads every command there is.
  }, 120_000)

  it.each(Object.entries({ ...RUN_BY, ...COMPARED }))('of %s is read by %s', (page, test) => {
    expect(readFileSync(join(top, test), 'utf8')).toContain(page.replace('docs/', ''))
    if (RUN_BY[page] !== undefined) expect(runBlocks(page).length).toBeGreaterThan(0)
  })
})
