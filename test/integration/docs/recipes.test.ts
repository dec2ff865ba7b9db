import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { runBlocks } from '../../helpers/doc-blocks.ts'
import { BIN } from '../../helpers/programs.ts'

/** Says what is wrong with a diff that adds `broken`, whose file its task names; else OK. */
const REVIEWER = `const { readFileSync } = require('node:fs')
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } })
  if (method === 'session/new') say({ id, result: { sessionId: 's' } })
  if (method === 'session/prompt') {
    const file = /the diff in (\\S+) as/.exec(params.prompt.map(({ text }) => text).join(' '))[1]
    const text = readFileSync(file, 'utf8').includes('+broken') ? 'web.txt:1: it is broken' : 'OK'
    say({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } })
    say({ id, result: { stopReason: 'end_turn' } })
  }
})
`

/** A worker that writes a file, files it, and says that it is done. */
const worker = (path: string, content: string) => ({
  steps: [
    { do: 'write', path, content: `${content}\n` },
    { do: 'commit', message: `Write ${path}` },
    { do: 'tool', name: 'file_pr', input: { title: `Write ${path}`, body: '' } },
    { do: 'complete', success: true, summary: 'filed' },
  ],
})

/** Each starts agents and dozens of programs, on a machine that may be busy. Milliseconds. */
const LIMIT = 240_000

describe('docs/recipes.md', { timeout: LIMIT }, () => {
  let tree: Exomonad
  const [nightly = '', swarm = '', review = ''] = runBlocks('docs/recipes.md')

  beforeAll(async () => {
    tree = await startExomonad({
      config: `[forge.local]\nci = ["sh", "-c", "! grep -r broken --include=*.txt ."]\n[acp.reviewer]\ncommand = ["node", "../reviewer.cjs"]\n[headless]\nacp = "reviewer"\n`,
    })
    const bin = join(tree.repository.folder, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
    writeFileSync(join(tree.repository.path, '..', 'reviewer.cjs'), REVIEWER)
    writeFileSync(
      join(bin, 'failing-tests.sh'),
      '#!/bin/sh\nfor file in a.test b.test; do [ -e "$file.fixed" ] || echo "$file"; done\n',
    )
    for (const name of ['exomonad', 'failing-tests.sh']) chmodSync(join(bin, name), 0o755)
  })
  afterAll(() => tree.stop())

  const run = (block: string, more: Record<string, string> = {}) => {
    const recipes = join(import.meta.dirname, '..', '..', '..', 'examples', 'recipes')
    const bin = join(tree.repository.folder, 'bin')
    const line = block
      .replace('examples/recipes', recipes)
      .replace('./failing-tests.sh', join(bin, 'failing-tests.sh'))
    const PATH = `${bin}${delimiter}${tree.repository.env['PATH'] ?? ''}`
    return runProgram('sh', ['-ec', line], {
      env: { ...tree.repository.env, PATH, NO_COLOR: '1', ...more },
      cwd: tree.repository.path,
      timeout: LIMIT,
    })
  }

  it('nightly-refactor merges what is green, and leaves the rest with its pull request', async () => {
    tree.script('packages-api', worker('packages/api/api.txt', 'new'))
    tree.script('packages-web', worker('packages/web/web.txt', 'broken'))
    const ran = await run(nightly)
    expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0)
    expect(ran.stdout).toContain('left for you: packages-web')
    expect(await tree.repository.git('show', 'main:packages/api/api.txt')).toBe('new')
    const { pull_requests: open } = await tree.call('pr_list', {})
    expect(open).toMatchObject([{ title: 'Write packages/web/web.txt', checks: 'failed' }])
  })

  it('review-bot asks for changes where the session found something', async () => {
    const ran = await run(review.replace('index', 'packages-web'))
    expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0)
    const shown = await tree.run(['pr', 'show', 'packages-web', '--json'])
    expect(shown.json.reviews).toMatchObject([
      { state: 'changes_requested', body: 'web.txt:1: it is broken\n' },
    ])
  })

  it('fix-failing-tests goes on in rounds while somebody gets further', async () => {
    tree.script('fix-1-a-test', worker('a.test.fixed', 'yes'))
    tree.script('fix-1-b-test', {
      steps: [{ do: 'complete', success: false, error: 'no idea' }],
    })
    tree.script('fix-2-b-test', worker('b.test.fixed', 'yes'))
    const ran = await run(swarm)
    expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0)
    expect(await tree.repository.git('ls-tree', '--name-only', 'main')).toMatch(
      /a\.test\.fixed\nb\.test\.fixed/,
    )
  })
})
