import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** `exomonad pr diff` and `pr show`, with a real git behind them and a real terminal in front. */

let tree: Exomonad
let number = 0

beforeAll(async () => {
  tree = await startExomonad()
  tree.script('auth', {
    steps: [
      { do: 'write', path: 'login.ts', content: 'one\ntwo\n' },
      { do: 'write', path: 'logo.bin', content: 'a\u0000b' },
      { do: 'commit', message: 'Add login' },
      { do: 'tool', name: 'file_pr', input: { title: 'Add login', body: 'As asked.' } },
    ],
  })
  await tree.call('spawn_workers', { specs: [{ name: 'auth', prompt: 'x' }] })
  number = await waitFor(
    'the pull request',
    async () => (await tree.call('pr_list')).pull_requests[0]?.number,
  )
})
afterAll(() => tree?.stop())

/** What a terminal shows of a command line until that ends, and how it ended. */
async function onTerminal(...argv: string[]): Promise<{ text: string; code: number }> {
  let text = ''
  let code: number | undefined
  const terminal = spawnTerminal(process.execPath, [BIN, ...argv], {
    cwd: tree.repository.path,
    env: { ...tree.repository.env, TERM: 'xterm-256color' },
    cols: 80,
    rows: 30,
  })
  onTestFinished(() => {
    if (code === undefined) terminal.kill('SIGKILL')
  })
  terminal.onData((data) => (text += data))
  terminal.onExit(({ exitCode }) => (code = exitCode))
  await waitFor(`the end of ${argv.join(' ')}`, () => code !== undefined)
  return { text: text.replaceAll('\r\n', '\n'), code: code ?? -1 }
}

it('pr diff goes through git’s own pager with git’s own colours, and straight without one', async () => {
  await tree.repository.git('config', 'core.pager', 'sed s/^/PAGED:/')
  await tree.repository.git('config', 'color.diff.new', 'magenta')
  const paged = await onTerminal('pr', 'diff', 'auth')
  expect(paged.code).toBe(0)
  expect(paged.text).toContain('PAGED:\u001b[35m+\u001b[m\u001b[35mone\u001b[m\n')
  expect((await onTerminal('pr', 'diff', 'auth', '--no-pager')).text).not.toContain('PAGED')
  await tree.repository.git('config', 'color.ui', 'never')
  const plain = await onTerminal('pr', 'diff', 'auth', '--stat')
  expect(plain.text).toBe(
    'PAGED: login.ts |   2 ++\nPAGED: logo.bin | Bin\nPAGED: 2 files changed, 2 insertions(+)\n',
  )
  await tree.repository.git('config', 'core.pager', 'no-such-pager')
  const left = await onTerminal('pr', 'diff', 'auth', '--name-only')
  expect(left).toMatchObject({ code: 0 })
  expect(left.text).toMatch(/“no-such-pager” can’t be started.*\nlogin\.ts\nlogo\.bin\n$/s)
})

it('a diff in a pipe is the patch that git applies', async () => {
  const { stdout } = await tree.command(['pr', 'diff', 'auth'])
  expect(stdout).toBe(`${await tree.repository.git('diff', '--no-color', 'main', 'main.auth')}\n`)
  const { files, diff } = (await tree.command(['pr', 'diff', 'auth', '--stat', '--json'])).json
  expect(diff).toBe('')
  expect(files).toMatchObject([
    { path: 'login.ts', status: 'added', additions: 2, deletions: 0, binary: false },
    { path: 'logo.bin', status: 'added', binary: true },
  ])
})

it('pr show marks the verdicts that do not count, each with why', async () => {
  const review = (input: object, as?: string) =>
    tree.call('pr_review', { pr_number: number, ...input }, as === undefined ? {} : { as })
  await review({ verdict: 'request_changes', body: 'Mine needs more.' }, 'auth')
  await review({ verdict: 'request_changes', body: 'Not yet.' })
  await review({ verdict: 'approve' })
  const shown = await tree.call('pr_show', { pr_number: number })
  expect(shown.review).toBe('approved')
  expect(
    shown.reviews.map(({ author, state, not_counted: why }: any) => [author, state, why]),
  ).toEqual([
    ['auth', 'changes_requested', 'own'],
    [expect.any(String), 'changes_requested', 'superseded'],
    [expect.any(String), 'approved', null],
  ])
  const { stdout } = await tree.command(['pr', 'show', 'auth'])
  expect(stdout).toContain('– changes requested by auth (does not count: it is their own pull')
  expect(stdout).toMatch(/– changes requested by .* \(does not count: they decided anew since\)/)

  const worktree = (await tree.agent('auth')).worktree as string
  await tree.repository.git('-C', worktree, 'commit', '--allow-empty', '-m', 'Same again')
  await tree.call('file_pr', { title: 'Add login', body: 'As asked.' }, { as: 'auth' })
  const same = await tree.call('pr_show', { pr_number: number })
  expect(same.reviews.at(-1)).toMatchObject({ stale: true, not_counted: null })
  await tree.repository.git('-C', worktree, 'rm', '-q', 'logo.bin')
  await tree.repository.git('-C', worktree, 'commit', '-m', 'Without a logo')
  await tree.call('file_pr', { title: 'Add login', body: 'As asked.' }, { as: 'auth' })
  const newer = await tree.call('pr_show', { pr_number: number })
  expect(newer.review).toBe('none')
  expect(newer.reviews.at(-1)).toMatchObject({ not_counted: 'older_head' })
})
