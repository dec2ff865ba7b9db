import { describe, expect, it } from 'vitest'
import type { CommandModule } from '../../../../../src/surfaces/cli/command-module.ts'
import { statLines } from '../../../../../src/surfaces/cli/pulls/diff.ts'
import { pr } from '../../../../../src/surfaces/cli/pulls/pull-commands.ts'
import { changedFiles } from '../../../../../src/domain/formats/unified-diff.ts'
import { displayWidth } from '../../../../../src/surfaces/text/width.ts'
import { fakeRun, type FakeOptions } from '../fake-context.ts'

const DIFF = `diff --git a/a.sql b/a.sql
index 1111111..2222222 100644
--- a/a.sql
+++ b/a.sql
@@ -1,2 +1,3 @@ table
--- old
+new
+
 kept
`
const files = changedFiles(DIFF).map(({ oldPath, ...file }) => ({ ...file, old_path: oldPath }))
const answer = ({ stat }: { stat?: boolean }) => ({
  ...{ number: 3, head_sha: 'a'.repeat(40) },
  ...(stat === true ? { diff: '', files } : { diff: DIFF }),
})

/** Git with this configuration, on a terminal that knows colours. */
const gitWith =
  (config: Readonly<Record<string, string>>, pager: string): NonNullable<FakeOptions['git']> =>
  (...args) => {
    const [command, ...rest] = args
    if (command === 'var') return `${pager}\n`
    const last = rest.at(-1) ?? ''
    if (rest[0] === '--get-colorbool') {
      const said = config['color.diff'] ?? config['color.ui'] ?? 'auto'
      const isOn = said === 'always' || (said !== 'never' && last === 'true')
      return `${isOn}\n`
    }
    if (rest[0] === '--get-color') return `<${config[rest[1] ?? '']}>`
    if (rest.includes('--get-regexp'))
      return Object.keys(config)
        .filter((name) => new RegExp(last).test(name))
        .join('\n')
    return config[last]
  }

interface Shown {
  readonly out: string
  readonly err: string
  /** What pagers were started, and what each read. */
  readonly paged: { readonly pager: string | undefined; readonly text: string | undefined }[]
  readonly env: Readonly<Record<string, string>> | undefined
}

async function shown(
  words: string,
  {
    config = {},
    pager = 'less',
    terminal = true,
    code = 0,
    ...more
  }: Partial<Omit<FakeOptions, 'terminal'>> & {
    config?: Readonly<Record<string, string>>
    pager?: string
    terminal?: boolean
    code?: number
  } = {},
): Promise<Shown> {
  const paged: Shown['paged'] = []
  let env: Shown['env']
  const runs: FakeOptions['runs'] = (argv, given) => {
    expect(argv.slice(0, 2)).toEqual(['sh', '-c'])
    paged.push({ pager: argv[2], text: given?.input })
    env = given?.env
    return { code, at: 0 }
  }
  const { run, said } = fakeRun(pr as CommandModule, {
    tools: { pr_diff: answer },
    git: gitWith(config, pager),
    ...(terminal ? { runs } : {}),
    ...more,
  })
  await run('diff', '3', ...words.split(' ').filter((word) => word !== ''))
  return { out: said.out, err: said.err, paged, env }
}

const COLOURED = [
  '\u001b[1mdiff --git a/a.sql b/a.sql\u001b[m',
  '\u001b[1mindex 1111111..2222222 100644\u001b[m',
  '\u001b[1m--- a/a.sql\u001b[m',
  '\u001b[1m+++ b/a.sql\u001b[m',
  '\u001b[36m@@ -1,2 +1,3 @@\u001b[m table',
  '\u001b[31m-\u001b[m\u001b[31m-- old\u001b[m',
  '\u001b[32m+\u001b[m\u001b[32mnew\u001b[m',
  '\u001b[32m+\u001b[m',
  ' kept',
  '',
].join('\n')

describe('`exomonad pr diff` on a terminal', () => {
  it('goes through git’s pager, in git’s own colours', async () => {
    const { out, paged, env } = await shown('', { pager: 'delta --side-by-side' })
    expect(paged).toEqual([{ pager: 'delta --side-by-side', text: COLOURED }])
    expect(out).toBe('')
    expect(env).toEqual({ LESS: 'FRX', LV: '-c', GIT_PAGER_IN_USE: 'true' })
  })

  it('leaves to less what the person has told it', async () => {
    expect((await shown('', { env: { LESS: 'S' } })).env).toMatchObject({ LESS: 'S' })
  })

  it.each([
    [{ config: { 'pager.diff': 'diff-so-fancy | less' } }, 'diff-so-fancy | less'],
    [{ config: { 'pager.diff': 'true' } }, 'less'],
    [{ config: { 'pager.diff': 'delta' }, env: { GIT_PAGER: 'less' } }, 'less'],
    [{ config: { 'pager.diff': 'false' } }, null],
    [{ config: { 'pager.log': 'false' } }, 'less'],
    [{ pager: 'cat' }, null],
  ])('has the pager that git would have: %j is %s', async (given, pager) => {
    const { paged, out } = await shown('', given)
    expect(paged.map((one) => one.pager)).toEqual(pager === null ? [] : [pager])
    expect(out).toBe(pager === null ? COLOURED : '')
  })

  it('has none with --no-pager, with --json and where it is no terminal', async () => {
    expect(await shown('--no-pager')).toMatchObject({ paged: [], out: COLOURED })
    const json = await shown('', { json: true })
    expect(json.paged).toEqual([])
    expect(JSON.parse(json.out)).toMatchObject({ diff: DIFF })
    expect(await shown('', { terminal: false })).toMatchObject({ out: DIFF })
  })

  it('is shown without one that can’t be started, and says so', async () => {
    const { out, err } = await shown('', { pager: 'nonesuch', code: 127 })
    expect(out).toBe(COLOURED)
    expect(err).toMatch(/“nonesuch” can’t be started.*core\.pager/)
    expect(await shown('', { code: 1 })).toMatchObject({ out: '', err: '' })
  })

  it.each([
    [{ config: { 'color.ui': 'never' } }, '', false],
    [{ config: { 'color.ui': 'never', 'color.diff': 'auto' } }, '', true],
    [{ config: { 'color.diff': 'never' } }, '--color', true],
    [{ config: { 'color.diff': 'always' }, color: false }, '', false],
    [{ config: { 'color.diff': 'never' }, color: true }, '', true],
    [{ config: { 'color.pager': 'false' } }, '', false],
    [{ config: { 'color.pager': 'false', 'color.ui': 'always' } }, '', true],
    [{ terminal: false }, '', false],
    [{ terminal: false }, '--color', true],
    [{ terminal: false, config: { 'color.diff': 'always' } }, '', true],
  ])('with %j and “%s” colour is %s', async (given, words, colored) => {
    const { out, paged } = await shown(words, given)
    expect(`${out}${paged[0]?.text ?? ''}`).toBe(colored ? COLOURED : DIFF)
  })

  it('has the colours that git is given for it', async () => {
    const config = { 'color.diff.old': 'magenta', 'color.diff.func': 'yellow' }
    const { paged } = await shown('', { config })
    const lines = (paged[0]?.text ?? '').split('\n')
    expect(lines).toContain('<magenta>-\u001b[m<magenta>-- old\u001b[m')
    expect(lines).toContain('\u001b[36m@@ -1,2 +1,3 @@\u001b[m <yellow>table\u001b[m')
    expect(lines).toContain('\u001b[32m+\u001b[m\u001b[32mnew\u001b[m')
  })
})

describe('what a pull request changes, in short', () => {
  it('with --stat a line a file, with --name-only its name, through the pager as well', async () => {
    expect((await shown('--stat', { terminal: false })).out).toBe(
      ' a.sql | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n',
    )
    expect((await shown('--stat')).paged[0]?.text).toContain(
      '| 3 \u001b[32m++\u001b[m\u001b[31m-\u001b[m\n',
    )
    expect((await shown('--name-only', { terminal: false })).out).toBe('a.sql\n')
    expect(JSON.parse((await shown('--name-only', { json: true })).out)).toMatchObject({ files })
  })

  const changed = (path: string, additions: number, deletions: number, more: object = {}) => ({
    ...{ path, old_path: null, status: 'modified' as const, binary: false },
    ...{ additions, deletions, ...more },
  })
  const lines = (width: number, ...all: Parameters<typeof statLines>[0]) =>
    statLines(all, width, (_slot, text) => text)

  it('fits the terminal: long names lose their beginning, long bars are drawn to scale', () => {
    const name = `${'deep/'.repeat(30)}file.ts`
    const drawn = lines(60, changed(name, 1000, 1), changed('b.ts', 0, 300), changed('c.ts', 1, 1))
    for (const line of drawn) expect(displayWidth(line)).toBeLessThanOrEqual(60)
    expect(drawn[0]).toMatch(/^ …\/(?:deep\/)+file\.ts \| 1001 \++-$/)
    expect(drawn[1]).toMatch(/^ b\.ts +\| +300 -{2,}$/)
    expect(drawn[2]).toMatch(/^ c\.ts +\| +2 \+-$/)
    expect(lines(Infinity, changed(name, 1, 0))[0]).toContain(name)
  })

  it('says what was renamed, what is binary and where nothing was added', () => {
    expect(
      lines(
        80,
        changed('new.ts', 0, 0, { old_path: 'old.ts', status: 'renamed' }),
        changed('logo.png', 0, 0, { binary: true }),
      ),
    ).toEqual([
      ' old.ts => new.ts |   0',
      ' logo.png         | Bin',
      ' 2 files changed, 0 insertions(+), 0 deletions(-)',
    ])
    expect(lines(80, changed('a', 0, 2)).at(-1)).toBe(' 1 file changed, 2 deletions(-)')
    expect(lines(80)).toEqual([])
  })
})
