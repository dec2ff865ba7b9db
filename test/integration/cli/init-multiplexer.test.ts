import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  startExomonad,
  type Exomonad,
  type ExomonadOptions,
  type RunResult,
} from '../../helpers/daemon.ts'
import { replaceFile } from '../../helpers/replace-file.ts'

interface Setting {
  readonly tree: Exomonad
  /** `exomonad init` by somebody who sits in what the variables say. */
  init(env?: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<RunResult>
  doctor(env?: Readonly<Record<string, string>>): Promise<any>
  config(): string
}

/**
 * A program in Zellij's place that says this version and knows of no session; null for none on
 * PATH.
 */
async function prepare(version: string | null, options: ExomonadOptions = {}): Promise<Setting> {
  const tree = await startExomonad({ init: false, ...options })
  onTestFinished(() => tree.stop())
  const { folder, path, env: launchEnvironment } = tree.repository
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  if (version !== null) {
    const said = `#!/bin/sh\n[ "$1" = --version ] && echo 'zellij ${version}' && exit\necho 'No active zellij sessions found.' >&2\nexit 1\n`
    writeFileSync(join(bin, 'zellij'), said, { mode: 0o755 })
  }
  const others = (launchEnvironment['PATH'] ?? '')
    .split(delimiter)
    .filter((place) => !existsSync(join(place, 'zellij')))
  const PATH = [bin, ...others].join(delimiter)
  return {
    tree,
    init: (env = {}, ...args) => tree.command(['init', ...args], { env: { PATH, ...env } }),
    doctor: async (env = {}) =>
      (await tree.command(['doctor', '--json'], { env: { PATH, ...env } })).json,
    config: () => readFileSync(join(path, '.exomonad', 'config.toml'), 'utf8'),
  }
}

const IN_ZELLIJ = { ZELLIJ: '0', ZELLIJ_SESSION_NAME: 'mine' }
const inTmux = (server: number): Record<string, string> => ({
  TMUX: `/nowhere/default,${server},0`,
  TERM_PROGRAM: 'tmux',
})
/** No process has it: ids end below. */
const NOBODY = 2 ** 22 + 1
const JSON_OUT = '--json'

describe('exomonad init and the multiplexer it is run in', () => {
  it('writes what it is run in into its configuration, says so, keeps it elsewhere, and changes it in another', async () => {
    const { tree, init, config } = await prepare('0.45.1')
    rmSync(join(tree.repository.path, '.exomonad'), { recursive: true })
    // The first one starts the daemon, which would look for a session in the Zellij of this test.
    expect((await init({}, JSON_OUT)).json.multiplexer).toMatchObject({
      kind: 'tmux',
      written: false,
    })
    const first = await init(IN_ZELLIJ, JSON_OUT)
    expect(first.json.multiplexer).toMatchObject({
      kind: 'zellij',
      why: 'this is Zellij 0.45.1',
      refused: [],
      written: true,
    })
    expect(first.json.multiplexer.change).toContain(
      'The daemon goes on as it was started: `exomonad down`',
    )
    expect(config()).toContain('\n[multiplexer]\nkind = "zellij"\n')
    const before = config()

    const outside = await init()
    expect(outside.stdout).toContain('nothing was changed')
    expect(outside.stdout).toMatch(/terminals +zellij: as configured$/m)
    expect(config()).toBe(before)

    const elsewhere = await init(inTmux(NOBODY))
    expect(elsewhere.stdout).toContain('its agents go to tmux')
    expect(elsewhere.stdout).toMatch(
      /terminals +tmux: this is tmux \S+ \(written to the configuration\)$/m,
    )
    // Where it is by now what the daemon was started with.
    expect(elsewhere.stdout).not.toContain('The daemon goes on')
    expect(config()).toBe(before.replace('kind = "zellij"', 'kind = "tmux"'))
    expect((await tree.command(['trust', '--check', '--json'])).json).toEqual({ trusted: true })

    // What only init has changed is still its own.
    expect((await tree.command(['deinit', '--json'])).json).toMatchObject({ kept: [] })
  })

  it('writes nothing where `auto` comes to the same, and what is configured counts where it is run in none', async () => {
    const { tree, init, config } = await prepare('0.45.1')
    const configured = config()
    expect((await init({}, JSON_OUT)).json.multiplexer).toMatchObject({
      kind: 'headless',
      why: 'as configured',
      written: false,
    })
    expect(config()).toBe(configured)
    await tree.command(['deinit', '--force'])
    for (const [env, why] of [
      [{}, 'tmux is installed'],
      [inTmux(NOBODY), expect.stringMatching(/^this is tmux/)],
    ] as const) {
      rmSync(join(tree.repository.path, '.exomonad'), { recursive: true, force: true })
      expect((await init(env, JSON_OUT)).json.multiplexer).toMatchObject({
        kind: 'tmux',
        why,
        written: false,
        change: null,
      })
      expect(config()).toContain('\n# [multiplexer]\n# kind = "zellij"\n')
    }
  })

  it('takes the inner one of two: that whose server started it', async () => {
    const { init, config } = await prepare('0.45.1')
    // These commands are children of this process, which stands for a tmux server that was started
    // in Zellij.
    expect(
      (await init({ ...IN_ZELLIJ, ...inTmux(process.pid) }, JSON_OUT)).json.multiplexer,
    ).toMatchObject({ kind: 'tmux', written: true })
    expect(config()).toContain('kind = "tmux"')
    // And here for a Zellij that was started in tmux.
    expect(
      (await init({ ...IN_ZELLIJ, ...inTmux(NOBODY) }, JSON_OUT)).json.multiplexer,
    ).toMatchObject({ kind: 'zellij', written: true })
    expect(config()).toContain('kind = "zellij"')
  })

  it('refuses a Zellij that is too old or not on PATH, says which would do, and takes the next', async () => {
    const old = await prepare('0.43.1')
    const before = old.config()
    const refused = await old.init(IN_ZELLIJ)
    expect(refused.code).toBe(0)
    expect(refused.stdout).toContain(
      '! this is Zellij, but `zellij` on PATH is 0.43.1, and 0.44.2 or newer is needed',
    )
    expect(refused.stdout).toMatch(/terminals +headless: as configured$/m)
    expect(old.config()).toBe(before)
    const next = await old.init({ ...IN_ZELLIJ, ...inTmux(NOBODY) }, JSON_OUT)
    expect(next.json.multiplexer).toMatchObject({
      kind: 'tmux',
      refused: [expect.stringContaining('0.43.1')],
      written: true,
    })

    const none = await prepare(null)
    const missing = await none.init(IN_ZELLIJ, JSON_OUT)
    expect(missing.json.multiplexer).toMatchObject({
      kind: 'headless',
      refused: [expect.stringContaining('there is no `zellij` on PATH')],
      written: false,
    })
  })

  it('writes nothing into a configuration that came with the repository and nobody has trusted', async () => {
    const { tree, init, config } = await prepare('0.45.1')
    await tree.repository.git('add', '-f', '.exomonad/config.toml')
    await tree.repository.git('commit', '-qm', 'Configure')
    const before = config()
    expect((await init(IN_ZELLIJ, JSON_OUT)).json).toMatchObject({
      untrusted: ['.exomonad/config.toml'],
      multiplexer: { kind: null, written: false },
    })
    expect(config()).toBe(before)
    await tree.command(['trust'])
    expect((await init(IN_ZELLIJ, JSON_OUT)).json).toMatchObject({
      untrusted: [],
      multiplexer: { kind: 'zellij', written: true },
    })
    expect((await tree.command(['trust', '--check', '--json'])).json).toEqual({ trusted: true })
  })

  it('says what to write where the configuration is written in a way that it leaves alone', async () => {
    const { tree, init, config } = await prepare('0.45.1')
    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    const before = config().replace(/\[multiplexer\]\nkind = .*\n/, '')
    writeFileSync(file, `multiplexer = { kind = "headless" }\n${before}`)
    const result = await init(IN_ZELLIJ)
    expect(result.stdout).toContain(
      '! this is Zellij 0.45.1; agents run in it once [multiplexer] kind = "zellij" stands in',
    )
    expect(result.stdout).toMatch(/terminals +headless: as configured$/m)
    expect(config()).toBe(`multiplexer = { kind = "headless" }\n${before}`)
  })
})

describe('exomonad doctor and Zellij', () => {
  it('speaks of it where it is configured or run in, and then of the version needed', async () => {
    const { tree, init, doctor } = await prepare('0.43.1')
    await init()
    const about = async (env?: Readonly<Record<string, string>>): Promise<any[]> =>
      (await doctor(env)).findings.filter(({ subject }: { subject: string }) =>
        ['tmux', 'zellij'].includes(subject),
      )
    expect((await about()).map(({ subject }) => subject)).toEqual(['tmux'])
    expect(await about(IN_ZELLIJ)).toMatchObject([
      { subject: 'tmux', status: 'ok' },
      {
        subject: 'zellij',
        status: 'note',
        found: expect.stringContaining('zellij 0.43.1; 0.44.2 is needed'),
      },
    ])
    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('kind = "headless"', 'kind = "zellij"'))
    expect(await about()).toMatchObject([
      { subject: 'tmux' },
      {
        subject: 'zellij',
        status: 'warning',
        fix: expect.stringContaining('Install Zellij 0.44.2 or newer'),
      },
    ])
    replaceFile(
      join(tree.repository.folder, 'bin', 'zellij'),
      "#!/bin/sh\necho 'zellij 0.44.2'\n",
      { mode: 0o755 },
    )
    expect(await about()).toMatchObject([
      { subject: 'tmux' },
      { subject: 'zellij', status: 'ok', found: 'zellij 0.44.2' },
    ])
  })
})
