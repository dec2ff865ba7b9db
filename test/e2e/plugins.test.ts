import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { BIN } from '../helpers/programs.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { startModelServer, type ModelServer, type Seen } from '../fixtures/model-server/server.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { gemini } from './clis/gemini.ts'
import { opencode, OPENCODE_ENV } from './clis/opencode.ts'
import { LIMIT } from './limits.ts'
import { AGENT_CLIS_BIN, requireInstalled, type RealCli } from './real-cli.ts'

/**
 * What plugins/ has for each agent CLI, given to the real ones as docs/integrations.md says, by a
 * person in a repository with a tree. Each begins one session, against a model that is a mock: what
 * it is asked shows what has come of the plugin.
 */

const top = join(import.meta.dirname, '..', '..')
const CLIS: readonly RealCli[] = [claude, gemini, codex, opencode]
/** What `exomonad tree` prints of the agent that waits, and what its hook says of it. */
const AGENT = 'asks-something'
const NEEDED = 'the person is needed for: 1 '

describe.skipIf(!requireInstalled(CLIS))('the real agent CLIs', () => {
  let tree: Exomonad
  let model: ModelServer
  let env: Record<string, string>

  beforeAll(async () => {
    model = await startModelServer(CLIS.flatMap(({ protocols }) => protocols))
    tree = await startExomonad({ prepareHome: (home) => prepareHome(home, model) })
    const bin = join(tree.repository.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
    chmodSync(join(bin, 'exomonad'), 0o755)
    env = {
      ...tree.repository.env,
      ...Object.assign({}, ...CLIS.map((cli) => cli.env(model))),
      PATH: [bin, AGENT_CLIS_BIN, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      TERM: 'dumb',
      // OpenCode unpacks libraries of its own there.
      TMPDIR: tree.repository.folder,
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      // Only for more memory it would start itself again, each time.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...OPENCODE_ENV,
    }
    tree.script(AGENT, {
      steps: [
        { do: 'file', path: join(tree.scripts, 'go') },
        { do: 'tool', name: 'question', input: { message: 'which one?', timeout: 0 } },
      ],
      stop: false,
    })
    await tree.call('spawn_workers', { specs: [{ name: AGENT, prompt: 'Ask' }] })
  })
  afterAll(async () => {
    await tree?.stop()
    await model?.stop()
  })

  /** Output of a command that has to succeed, run in the repository. */
  async function run(program: string, args: readonly string[], input = ''): Promise<string> {
    const child = spawn(join(AGENT_CLIS_BIN, program), args, {
      cwd: tree.repository.path,
      env,
      timeout: LIMIT,
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stdin.on('error', () => {}).end(input)
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ program, args, code, said }).toMatchObject({ code: 0 })
    return said
  }

  /** What its model is asked first in a session that is begun like this. */
  async function firstAsked(program: string, args: readonly string[]): Promise<Seen> {
    const before = model.seen.length
    const said = await run(program, args)
    const [first] = model.seen.slice(before)
    if (first === undefined) throw new Error(`${program} asked nothing: ${said}`)
    return first
  }
  /** The same once it was told: a daemon that is busy is not waited for, and nothing is said then. */
  async function firstTold(program: string, args: readonly string[]): Promise<Seen> {
    for (let begun = 1; ; begun += 1) {
      const asked = await firstAsked(program, args)
      if (textOf(asked).includes(NEEDED) || begun === 3) return asked
    }
  }
  /** The agent asks, and whoever begins a session is told so. */
  async function somethingIsNeeded(): Promise<void> {
    writeFileSync(join(tree.scripts, 'go'), '')
    const needed = async () =>
      (await tree.run(['status', '--short'])).stdout.trim().endsWith(' 1 !')
    await waitFor('the question', needed, { limit: LIMIT })
  }
  const textOf = ({ conversation }: Seen): string =>
    conversation.entries.map(({ text }) => text).join('\n')

  it('Gemini CLI takes the extension: a command, the skill, the hook and the tools reach its model', async () => {
    const extension = join(top, 'plugins', 'gemini-cli')
    // It validates, and asks whether the folder may be trusted.
    await run('gemini', ['extensions', 'install', '--consent', extension], 'y\n')
    const listed = await run('gemini', ['extensions', 'list'])
    expect(listed).toContain('exomonad')
    expect(listed).toContain('split-work')
    await run('gemini', ['mcp', 'add', 'exomonad', 'exomonad', 'mcp'])

    // Before a command that is given with the start it would put what a hook says, and not know it.
    const given = ['--model', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p']
    const command = textOf(await firstAsked('gemini', [...given, '/exomonad:tree']))
    expect(command).toContain('tree of exomonad’s agents in this repository')
    expect(command).toContain(AGENT)
    expect(command).not.toContain('the person is needed')

    await somethingIsNeeded()
    const asked = await firstTold('gemini', [...given, 'What is there to do?'])
    expect(textOf(asked)).toContain(NEEDED)
    expect(textOf(asked)).toContain('<name>split-work</name>')
    expect(asked.conversation.tools).toContain('mcp_exomonad_spawn_workers')
  })

  it('Claude Code takes the plugin: a command, the skill, the hook and the tools reach its model', async () => {
    await run('claude', ['plugin', 'validate', '--strict', join(top, 'plugins', 'claude-code')])
    await run('claude', ['plugin', 'validate', '--strict', top])
    await run('claude', ['plugin', 'marketplace', 'add', top])
    await run('claude', ['plugin', 'install', 'exomonad@exomonad'])
    const details = await run('claude', ['plugin', 'details', 'exomonad'])
    expect(details).toMatch(/Skills \(5\)\s+grow, next, review, split-work, tree/)
    expect(details).toMatch(/Hooks \(1\)\s+SessionStart/)
    await run('claude', ['mcp', 'add', '--scope', 'project', 'exomonad', '--', 'exomonad', 'mcp'])

    await somethingIsNeeded()
    const asked = await firstTold('claude', ['-p', '/exomonad:tree'])
    expect(textOf(asked)).toContain('tree of exomonad’s agents in this repository')
    expect(textOf(asked)).toContain(AGENT)
    expect(textOf(asked)).toContain(NEEDED)
    expect(textOf(asked)).toContain('exomonad:split-work')
    // It is told their names, and asks for their schemas when it wants one.
    expect(textOf(asked)).toContain('mcp__exomonad__spawn_workers')
  })

  it('Codex takes the plugin: the skill and the tools reach its model', async () => {
    await run('codex', ['plugin', 'marketplace', 'add', top])
    await run('codex', ['plugin', 'add', 'exomonad@exomonad'])
    expect(await run('codex', ['plugin', 'list'])).toMatch(/exomonad@exomonad\s+installed, enabled/)
    await run('codex', ['mcp', 'add', 'exomonad', '--', 'exomonad', 'mcp'])
    expect(await run('codex', ['mcp', 'list'])).toMatch(/exomonad\s+exomonad\s+mcp .*enabled/)

    const asked = await firstAsked('codex', ['exec', 'How does the tree stand?'])
    expect(textOf(asked)).toContain('exomonad:split-work')
    // It is told what the server says of itself, and asks for the tools when it wants them.
    expect(textOf(asked)).toMatch(/mcp__exomonad: The tree of agents/)
  })

  it('OpenCode takes the commands and the skill: both and the tools reach its model', async () => {
    const folder = join(env['HOME'] ?? '', '.config', 'opencode')
    cpSync(join(top, 'plugins', 'opencode'), folder, { recursive: true })
    const file = join(folder, 'opencode.json')
    const config = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const mcp = { exomonad: { type: 'local', command: ['exomonad', 'mcp'] } }
    writeFileSync(file, JSON.stringify({ ...config, mcp }))
    const { command } = JSON.parse(await run('opencode', ['debug', 'config'])) as {
      command: Record<string, unknown>
    }
    expect(Object.keys(command).toSorted()).toEqual(
      ['grow', 'next', 'review', 'tree'].map((name) => `exomonad-${name}`),
    )
    expect(await run('opencode', ['debug', 'skill'])).toContain('"name": "split-work"')

    const asked = await firstAsked('opencode', ['run', '--command', 'exomonad-tree'])
    expect(textOf(asked)).toContain('tree of exomonad’s agents in this repository')
    expect(textOf(asked)).toContain(AGENT)
    expect(JSON.stringify(asked.body)).toContain('<name>split-work</name>')
    expect(asked.conversation.tools).toContain('exomonad_spawn_workers')
  })
})

/** A person who has logged in to each, and whose model is the mock. */
function prepareHome(home: string, model: ModelServer): void {
  for (const cli of CLIS) cli.prepareHome?.(home, model)
  const settings = join(home, '.claude', 'settings.json')
  const before = JSON.parse(readFileSync(settings, 'utf8')) as Record<string, unknown>
  // As after they were asked at their first start.
  writeFileSync(settings, JSON.stringify({ ...before, enabledMcpjsonServers: ['exomonad'] }))
  mkdirSync(join(home, '.gemini'))
  writeFileSync(
    join(home, '.gemini', 'settings.json'),
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
  )
  mkdirSync(join(home, '.codex'))
  writeFileSync(
    join(home, '.codex', 'config.toml'),
    `model = "gpt-6.1-sol"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${model.url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`,
  )
}
