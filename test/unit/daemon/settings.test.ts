import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnvironment } from '../../../src/config/environment.ts'
import { recordTrust, type TrustSubject } from '../../../src/config/trust.ts'
import { createSettings } from '../../../src/daemon/settings.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'

const CONFIG = '.exomonad/config.toml'

function repository(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'repo')
  mkdirSync(join(home, '.exomonad'), { recursive: true })
  const write = (content: string) => writeFileSync(join(home, CONFIG), content)
  write(text)
  let tracked: () => Promise<string[]> = () => Promise.resolve([CONFIG])
  const environment = readEnvironment({ HOME: join(folder, 'home') })
  const trust: TrustSubject = {
    paths: pathsOf(join(home, '.git'), home),
    environment,
    trackedFiles: () => tracked(),
  }
  return {
    trust,
    write,
    track: (files: () => Promise<string[]>) => (tracked = files),
    settings: () => createSettings({ environment, trust, node: '/usr/bin/node' }),
  }
}

const limit = (count: number, more = ''): string => `[limits]\nmax_live_agents = ${count}\n${more}`

describe('the daemon’s settings', () => {
  it('follow a file of one’s own at once', async () => {
    const { settings, track, write } = repository(limit(3))
    track(() => Promise.resolve([]))
    const live = await settings()
    write(limit(17))
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(17)
  })

  it('never follow half of a file that is being written', async () => {
    const { settings, track, trust } = repository(limit(3))
    track(() => Promise.resolve([]))
    const live = await settings()
    const file = openSync(trust.paths.configFile, 'w')
    onTestFinished(() => closeSync(file))
    const cutToNothing = live.snapshot()
    await delay(200)
    writeSync(file, '[worktree]\n')
    const half = live.snapshot()
    await delay(10)
    writeSync(file, limit(17))
    for (const taken of [cutToNothing, half])
      expect((await taken).config.limits.max_live_agents).toBe(17)
  })

  it('follow a file that is empty, or written all the time, in the end', async () => {
    const { settings, track, write } = repository(limit(3))
    track(() => Promise.resolve([]))
    const live = await settings()
    write('')
    expect((await live.snapshot()).config.limits.max_live_agents).not.toBe(3)
    let count = 0
    const writing = setInterval(() => write(limit(10 + (count += 1))), 5)
    onTestFinished(() => clearInterval(writing))
    expect((await live.snapshot()).config.limits.max_live_agents).toBeGreaterThan(10)
  })

  it('stay as they were trusted while a change is not, and take it up when it is', async () => {
    const { settings, trust, write } = repository(limit(3))
    await recordTrust(trust)
    const live = await settings()
    write(limit(400, '[merge]\nagents_may_force = true\n'))
    await expect(live.requireTrust()).rejects.toMatchObject({ code: 'UNTRUSTED_CONFIG' })
    expect((await live.snapshot()).config).toMatchObject({
      limits: { max_live_agents: 3 },
      merge: { agents_may_force: false },
    })
    // Not even one that doesn’t parse.
    write('no toml at all')
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(3)

    write(limit(5))
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(3)
    await recordTrust(trust)
    await live.requireTrust()
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(5)
    expect(live.current().limits.max_live_agents).toBe(5)
  })

  it('notify nobody by a configuration that nobody trusted', async () => {
    const { settings, trust } = repository(`[notify]
command = ["theirs"]
bell = false
quiet = "22:00-07:00"
[notify.targets.theirs]
kind = "webhook"
url_env = "HOOK"
`)
    expect((await settings()).current().notify).toEqual({ bell: false, targets: {} })
    await recordTrust(trust)
    expect((await settings()).current().notify).toMatchObject({
      command: ['theirs'],
      targets: { theirs: { url_env: 'HOOK' } },
    })
  })

  it('show neither token nor app key to anybody whom a configuration names that nobody trusted', async () => {
    const text = `[forge]
kind = "github"
[forge.github]
remote = "theirs"
host = "git.example.invalid"
repository = "they/theirs"
api_url = "https://git.example.invalid/api"
graphql_url = "https://git.example.invalid/graphql"
app_id = 7
app_key_file = "/home/ada/.ssh/id_rsa"
app_installation_id = 8
webhook_port = 8080
webhook_host = "0.0.0.0"
webhook_secret_file = "theirs"
trusted_bots = ["they[bot]"]
spawn_label = "theirs"
copilot_review = false
[forge.gitea]
url = "https://git.example.invalid"
remote = "theirs"
repository = "they/theirs"
token_file = "/home/ada/.netrc"
`
    const { settings, trust } = repository(text)
    const { github } = (await settings()).current().forge
    expect(github).toEqual({
      trusted_bots: [],
      copilot_review: false,
      status_comment: false,
      delete_branch: false,
      reserve: 0.2,
      checks_expected_within: 180,
      webhook_host: '127.0.0.1',
    })
    expect((await settings()).current().forge.gitea).toEqual({ delete_branch: false })
    await recordTrust(trust)
    expect((await settings()).current().forge.github).toMatchObject({
      remote: 'theirs',
      app_key_file: '/home/ada/.ssh/id_rsa',
      webhook_port: 8080,
    })
  })

  it('grant nothing when the daemon starts with what nobody trusted', async () => {
    const { settings, trust } = repository(
      limit(
        3,
        '[merge]\nagents_may_force = true\n[environment]\npass = ["SECRET"]\n[roles.dev]\nagent = "x"\n[roles.dev.permissions]\npolicy = "all"\nallow = ["Bash"]\n[roles.odd]\ntools = ["kill"]\n[agents.x]\nadapter = "claude"\nargs = ["--dangerous"]\nenv = { LD_PRELOAD = "x" }\n',
      ),
    )
    const live = await settings()
    expect((await live.snapshot()).config).toMatchObject({
      limits: { max_live_agents: 3 },
      merge: { agents_may_force: false },
      environment: { pass: [] },
    })
    const off = { runtime: 'pane', sandbox: 'off', permissions: { policy: 'off', allow: [] } }
    expect(live.current().roles).toEqual({ dev: { agent: 'x', ...off }, odd: off })
    expect(live.current().agents['x']).toMatchObject({ args: [], env: {} })
    await recordTrust(trust)
    await live.requireTrust()
    expect((await live.snapshot()).config).toMatchObject({
      merge: { agents_may_force: true },
      environment: { pass: ['SECRET'] },
      roles: { odd: { tools: ['kill'] } },
    })
    expect(live.current()).toMatchObject({
      roles: { dev: { permissions: { policy: 'all' } } },
      agents: { x: { args: ['--dangerous'] } },
    })
  })

  it('grant a program of the Agent Client Protocol nothing either that nobody trusted', async () => {
    const { settings, trust } = repository(
      limit(
        3,
        '[acp.x]\ncommand = ["x"]\npermission = "allow"\nallow = ["execute"]\nmode = "yolo"\nenv = { LD_PRELOAD = "x" }\n',
      ),
    )
    const live = await settings()
    expect(live.current().acp['x']).toEqual({
      command: ['x'],
      permission: 'ask',
      allow: [],
      env: {},
    })
    await recordTrust(trust)
    await live.requireTrust()
    expect((await live.snapshot()).config.acp['x']).toMatchObject({
      permission: 'allow',
      allow: ['execute'],
      mode: 'yolo',
    })
  })

  it('have an adapter for each [acp.NAME], which sees what the agent CLI does that it speaks for', async () => {
    const { settings, track } = repository(
      limit(
        3,
        '[acp.mine]\ncommand = ["node", "/opt/codex-acp/dist/index.js"]\n[acp.odd]\ncommand = ["odd"]\n',
      ),
    )
    track(() => Promise.resolve([]))
    const { agentCli } = await (await settings()).snapshot()
    const codex = agentCli('codex')
    expect(agentCli('acp:mine')).toMatchObject({
      name: 'acp:mine',
      adapter: 'acp',
      hasNoTerminal: true,
      passes: codex.passes,
    })
    expect(agentCli('acp:gemini').passes).toContain('GEMINI_API_KEY')
    expect(agentCli('acp:odd').passes).toEqual([])
    expect(() => agentCli('acp:gone')).toThrow(
      expect.objectContaining({
        code: 'AGENT_CLI_MISSING',
        message: expect.stringContaining('There is no [acp.gone] in'),
      }),
    )
  })

  it('go on by what was trusted last when the daemon starts with what a pull brought, whether it parses or not', async () => {
    const { settings, trust, write } = repository(
      limit(3, '[roles.dev.permissions]\npolicy = "list"\nallow = ["Read"]\n'),
    )
    await recordTrust(trust)
    mkdirSync(trust.paths.state, { recursive: true })
    await settings()
    for (const text of [
      limit(99, 'tokens_per_agent = 1e12\n[roles.dev.permissions]\npolicy = "all"\n'),
      'no toml at all',
    ]) {
      write(text)
      const live = await settings()
      expect(live.current()).toMatchObject({
        limits: { max_live_agents: 3 },
        roles: { dev: { permissions: { policy: 'list', allow: ['Read'] } } },
      })
    }
  })

  it('take no answer from git for a no', async () => {
    const { settings, track, write } = repository(limit(3))
    track(() => Promise.resolve([]))
    const live = await settings()
    track(() => Promise.reject(new Error('no git')))
    write(limit(9))
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(3)
    await expect(live.requireTrust()).rejects.toThrow('no git')
    track(() => Promise.resolve([]))
    await live.requireTrust()
    expect((await live.snapshot()).config.limits.max_live_agents).toBe(9)
  })
})
