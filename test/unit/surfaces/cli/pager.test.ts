import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../../src/config/environment.ts'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'
import { writePaged } from '../../../../src/surfaces/cli/pager.ts'

const LONG = Array.from({ length: 30 }, (_, index) => `line ${index}`)

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly git?: string
  readonly isTTY?: boolean
  readonly lines?: readonly string[]
  readonly paged?: boolean
  /** With which the pager ends. */
  readonly code?: number | null
}

async function shown({ env = {}, git, isTTY = true, lines = LONG, paged, code = 0 }: Given) {
  let out = ''
  const pagers: string[] = []
  const given: string[] = []
  const interrupts = new Set<() => void>()
  const context = {
    environment: readEnvironment({ HOME: '/nowhere', ...env }),
    terminal: {
      stdout: { isTTY, rows: 24, columns: 80, write: (text: string) => ((out += text), true) },
      stderr: { write: () => true },
    },
    width: () => 80,
    palette: () => ({ attention: (text: string) => text }),
    options: () => ({ json: false, as: undefined, cwd: '/here' }),
    onInterrupt: (listener: () => void) => (
      interrupts.add(listener),
      () => void interrupts.delete(listener)
    ),
    host: {
      // `git var` knows core.pager, PAGER and what is usual.
      run: async (_git: string, [verb]: readonly string[]) =>
        verb === 'var'
          ? { exitCode: 0, stdout: `${git ?? env['PAGER'] ?? 'less'}\n` }
          : { exitCode: 1, stdout: '' },
      runOnTerminal: async (
        argv: readonly string[],
        _cwd: string,
        { input }: { input: string },
      ) => {
        expect(interrupts.size).toBe(1)
        pagers.push(argv.at(-1) ?? '')
        given.push(input)
        return code
      },
    },
  } as unknown as CliContext
  await writePaged(context, lines, paged === undefined ? {} : { paged })
  expect(interrupts.size).toBe(0)
  return { out, pagers, given }
}

describe('the pager', () => {
  it.each<[string, Given, string]>([
    ['EXOMONAD_PAGER first', { env: { EXOMONAD_PAGER: 'mine', PAGER: 'p' }, git: 'delta' }, 'mine'],
    ['git’s next', { env: { PAGER: 'p' }, git: 'delta --paging=always' }, 'delta --paging=always'],
    ['PAGER next', { env: { PAGER: 'most' } }, 'most'],
  ])('is %s', async (_, given, command) => {
    const { out, pagers, given: got } = await shown(given)
    expect(pagers).toEqual([command])
    expect(got).toEqual([`${LONG.join('\n')}\n`])
    expect(out).toBe('')
  })

  it('is less where nothing is set', async () => {
    expect((await shown({})).pagers[0]).toBe('less')
  })

  it.each<[string, Given]>([
    ['where it is piped', { isTTY: false }],
    ['where it fits', { lines: LONG.slice(0, 23) }],
    ['where none is wanted', { paged: false }],
    ['by cat', { env: { EXOMONAD_PAGER: 'cat' } }],
    ['by nothing', { env: { EXOMONAD_PAGER: '' }, git: 'delta' }],
    ['by nothing of git’s', { git: '', env: { PAGER: 'p' } }],
  ])('is left out %s', async (_, given) => {
    const { out, pagers } = await shown(given)
    expect(pagers).toEqual([])
    expect(out).toBe(`${(given.lines ?? LONG).join('\n')}\n`)
  })

  it('counts lines as the terminal breaks them', async () => {
    expect((await shown({ lines: ['x'.repeat(80 * 23)] })).pagers).toHaveLength(0)
    expect((await shown({ lines: ['x'.repeat(80 * 23 + 1)] })).pagers).toHaveLength(1)
  })

  it('leaves nothing unseen where it can’t be started', async () => {
    for (const code of [126, 127]) expect((await shown({ code })).out).toContain('line 29')
    expect((await shown({ code: 1 })).out).toBe('')
  })
})
