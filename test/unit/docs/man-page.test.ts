import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderManPage } from '../../../docs/generator/man-page.ts'
import { buildProgram } from '../../../src/surfaces/cli/program.ts'
import { everyCommand, lineOf, PARSING } from '../../helpers/command-lines.ts'

const file = join(import.meta.dirname, '..', '..', '..', 'man', 'exomonad.1')
const { version, man } = JSON.parse(
  readFileSync(join(file, '..', '..', 'package.json'), 'utf8'),
) as {
  version: string
  man: unknown
}
const groff = (...args: string[]) =>
  spawnSync('groff', ['-man', ...args, file], { encoding: 'utf8' })

describe('the manual page', () => {
  it('is what `npm run docs` makes of the commands', async () => {
    expect(await renderManPage(version)).toBe(readFileSync(file, 'utf8'))
  })

  it('is where npm links it from: it takes `man` as a list alone', () => {
    expect(man).toEqual(['./man/exomonad.1'])
  })

  it.skipIf(groff('-z').error !== undefined)(
    'is typeset without a warning, with every command in it',
    async () => {
      expect(groff('-ww', '-z', '-Tutf8')).toMatchObject({ status: 0, stderr: '' })
      // One long line each, without overstriking.
      const page = groff('-Tutf8', '-P-cbou', '-rLL=400n').stdout
      for (const command of everyCommand(await buildProgram(PARSING)))
        expect(page).toContain(`exomonad ${lineOf(command).join(' ')}`)
      expect(page).toContain('acp:NAME of an [acp.NAME]')
    },
  )
})
