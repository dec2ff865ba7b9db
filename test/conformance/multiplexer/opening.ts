import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { launchFile } from '../../../src/adapters/machine/launch-file.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { isAlive } from '../../helpers/processes.ts'
import type { Bench } from './bench.ts'

const launcher = fileURLToPath(new URL('../../../hooks/launch.sh', import.meta.url))

/** Waits for a file that a program in a pane writes and then renames into place. */
const readWhenThere = async (file: string) =>
  await waitFor(file, () => existsSync(file) && readFileSync(file, 'utf8'))

export function describeOpening(bench: Bench): void {
  const hasTerminal = bench.kind !== 'runner'
  const onTerminals = it.skipIf(!hasTerminal)

  it('opens a pane that is listed with its agent, name, program and state', async () => {
    const { paneId, pid, agentId } = await bench.open({
      name: 'app #[x] #{pid} ##',
      argv: ['/bin/cat'],
    })
    expect(isAlive(pid)).toBe(true)
    const pane = await waitFor('the program to have the terminal', async () => {
      const found = await bench.multiplexer.inspect(paneId)
      return found?.foreground === false ? undefined : found
    })
    expect(pane).toEqual({
      paneId,
      agentId,
      pid,
      name: 'app #[x] #{pid} ##',
      ...(bench.kind === 'tmux' && { shown: '' }),
      title: null,
      dead: false,
      exitCode: null,
      exitSignal: null,
      endedAt: null,
      inMode: false,
      foreground: hasTerminal && process.platform === 'linux' ? true : null,
      humanActiveAt: null,
      pasted: [],
      entered: [],
    })
    expect(await bench.multiplexer.list()).toEqual([pane])
  })

  onTerminals('reports what the program calls its terminal, whatever it says', async () => {
    const { paneId } = await bench.open({
      argv: [
        '/bin/sh',
        '-c',
        String.raw`printf '\033]0;first\007'; printf '\033]2;\342\234\246  Working\342\200\246 \043{pid} \043(id) x\007'; exec cat`,
      ],
    })
    await waitFor(
      'the title',
      async () => (await bench.multiplexer.inspect(paneId))?.title === '✦  Working… #{pid} #(id) x',
    )
    expect((await bench.multiplexer.list()).map(({ title }) => title)).toEqual([
      '✦  Working… #{pid} #(id) x',
    ])
  })

  onTerminals(
    'shows the rows of a screen with their attributes, by which a dim hint differs from text',
    async () => {
      const { paneId } = await bench.open({
        argv: [
          '/bin/sh',
          '-c',
          String.raw`printf '> \033[2mhint\033[0m\r\n> typed\033[7m \033[0m'; exec cat`,
        ],
      })
      const rows = await waitFor('the text', async () => {
        const shown = (await bench.multiplexer.captureStyled(paneId)).split('\n')
        return shown.some((row) => row.includes('typed')) ? shown : undefined
      })
      expect(rows).toHaveLength(30)
      expect(rows[0]).toMatch(/^(\u001B\[\d*m)*> (\u001B\[0m)?\u001B\[[0;]*2mhint/)
      expect(rows[1]).toMatch(/^(\u001B\[\d*m)*> typed\u001B\[[0;]*7m /)
    },
  )

  it('gives programs the environment of the server and the pane, and nothing else of ours', async () => {
    process.env['EXOMONAD_TEST_LEAK'] = 'secret'
    try {
      const file = join(bench.folder, 'environment')
      const hostile = `two\nlines 'single' "double" $HOME \`id\` #{pid} \\ ; ~ é🚀\t`
      const env = { GIVEN: 'a b', HOSTILE: hostile, TILDE: '~/x' }
      const { agentId } = await bench.open({
        env,
        argv: [
          process.execPath,
          '-e',
          'fs.writeFileSync(process.argv[1] + "~", JSON.stringify(process.env)); fs.renameSync(process.argv[1] + "~", process.argv[1])',
          file,
        ],
      })
      const found = JSON.parse(await readWhenThere(file)) as Record<string, string>
      expect(found).toMatchObject({ ...env, HOME: bench.folder, LANG: 'C.UTF-8' })
      if (hasTerminal) expect(found['TERM']).toMatch(/256color/)
      // By it the runner finds what its programs leave behind.
      else expect(found['EXOMONAD_AGENT_ID']).toBe(agentId)
      const allowed = [
        'PATH',
        'HOME',
        'LANG',
        'TMPDIR',
        'TMUX_TMPDIR',
        'TERM',
        'SHELL',
        'PWD',
        'OLDPWD',
        'SHLVL',
        '_',
        ...(hasTerminal ? [] : ['EXOMONAD_AGENT_ID']),
        ...Object.keys(env),
      ]
      expect(Object.keys(found).filter((name) => !allowed.includes(name))).toEqual([])
    } finally {
      delete process.env['EXOMONAD_TEST_LEAK']
    }
  })

  it('does not hand the environment of one pane to the next', async () => {
    const file = join(bench.folder, 'environment')
    await bench.open({ env: { ONLY_FIRST: 'x' }, argv: ['/bin/cat'] })
    await bench.open({ argv: ['/bin/sh', '-c', 'env > "$0~"; mv "$0~" "$0"', file] })
    expect(await readWhenThere(file)).not.toContain('ONLY_FIRST')
  })

  it('hands no open file of the server to programs', async () => {
    if (process.platform !== 'linux') return
    await bench.open({ argv: ['/bin/cat'] })
    const file = join(bench.folder, 'descriptors')
    await bench.open({ argv: ['/bin/sh', '-c', 'ls -l /proc/$$/fd > "$0~"; mv "$0~" "$0"', file] })
    const open = (await readWhenThere(file))
      .split('\n')
      .filter((line) => line.includes('->') && !/ (0|1|2|10|255) ->/.test(line))
    expect(open).toEqual([])
  })

  it.each(['plain', 'with  spaces', 'ünï-コード🌳', '#[x] #{pid} ##', `quo'te" $HOME; \`id\``])(
    'starts in the folder it is given: %s',
    async (name) => {
      const cwd = join(bench.folder, name)
      mkdirSync(cwd)
      const file = join(bench.folder, 'cwd')
      await bench.open({ cwd, argv: ['/bin/sh', '-c', 'pwd -P > "$0~"; mv "$0~" "$0"', file] })
      expect((await readWhenThere(file)).trimEnd()).toBe(cwd)
    },
  )

  it('hands arguments over as they are, without a shell', async () => {
    const file = join(bench.folder, 'arguments')
    const words = [
      '',
      'two words',
      `'"\`$(touch ${bench.folder}/touched)\``,
      ';',
      ';',
      '{',
      '}',
      '#{pane_id}',
      '%1',
      '-x',
      '~',
      'line\nend',
      '\t',
      '🚀',
      String.raw`\n\\`,
      'x;',
    ]
    await bench.open({
      argv: [
        process.execPath,
        '-e',
        'fs.writeFileSync(process.argv[1] + "~", JSON.stringify(process.argv.slice(2))); fs.renameSync(process.argv[1] + "~", process.argv[1])',
        file,
        ...words,
      ],
    })
    expect(JSON.parse(await readWhenThere(file))).toEqual(words)
    expect(existsSync(join(bench.folder, 'touched'))).toBe(false)
  })

  it('starts a program with more than 16,000 bytes of arguments through the launch file, which is gone before the program runs', async () => {
    const file = join(bench.folder, 'launched')
    const launch = join(bench.folder, 'launch file')
    const prompt = `It's long: ${'täsk 🌱 "quoted" $(no) `no` \\ \n'.repeat(2000)}`
    const script =
      'fs.writeFileSync(process.argv[1] + "~", JSON.stringify({ pid: process.pid, prompt: process.argv[2], secret: process.env.SECRET, tmux: process.env.TMUX ?? null, launch: fs.existsSync(process.argv[3]) })); fs.renameSync(process.argv[1] + "~", process.argv[1])'
    writeFileSync(
      launch,
      launchFile({
        env: { SECRET: `s'3\ncret` },
        argv: [process.execPath, '-e', script, file, prompt, launch],
        unset: ['TMUX', 'TMUX_PANE'],
      }),
      { mode: 0o600 },
    )
    const { pid } = await bench.open({ argv: ['/bin/sh', launcher, launch] })
    expect(JSON.parse(await readWhenThere(file))).toEqual({
      pid,
      prompt,
      secret: `s'3\ncret`,
      tmux: null,
      launch: false,
    })
  })

  it('takes more than 16,000 bytes of arguments also directly', async () => {
    const file = join(bench.folder, 'length')
    const long = 'x'.repeat(60_000)
    await bench.open({
      argv: ['/bin/sh', '-c', 'printf %s "$1" | wc -c > "$0~"; mv "$0~" "$0"', file, long],
    })
    expect(Number(await readWhenThere(file))).toBe(60_000)
  })

  it('says on the screen which program is missing, and keeps the exit code', async () => {
    const { paneId } = await bench.open({ argv: ['no-such-program-anywhere', 'x'] })
    // For an instant its terminal is gone, and how it ended is not known yet.
    const pane = await waitFor('the end', async () => {
      const found = await bench.multiplexer.inspect(paneId)
      return found?.exitCode === null ? undefined : found
    })
    expect(pane).toMatchObject({ dead: true, exitCode: 127, exitSignal: null })
    expect(await bench.multiplexer.capture(paneId)).toContain('no-such-program-anywhere')
  })

  it('runs a program with a single word and one that is not executable as such', async () => {
    const script = join(bench.folder, 'one word')
    writeFileSync(script, '#!/bin/sh\necho "I am $0"\nexec cat\n')
    chmodSync(script, 0o755)
    const { paneId } = await bench.open({ argv: [script] })
    await waitFor('its output', async () =>
      (await bench.multiplexer.capture(paneId)).includes(`I am ${script}`),
    )
  })

  onTerminals('has the size it was asked for from the first moment', async () => {
    const file = join(bench.folder, 'size')
    await bench.open({
      columns: 137,
      rows: 41,
      argv: ['/bin/sh', '-c', 'stty size > "$0~"; mv "$0~" "$0"', file],
    })
    expect((await readWhenThere(file)).trim()).toBe('41 137')
    const second = join(bench.folder, 'size2')
    await bench.open({
      columns: 61,
      rows: 17,
      argv: ['/bin/sh', '-c', 'stty size > "$0~"; mv "$0~" "$0"', second],
    })
    expect((await readWhenThere(second)).trim()).toBe('17 61')
  })

  it('refuses a folder that is not there, and leaves nothing', async () => {
    await expect(
      bench.open({ cwd: join(bench.folder, 'missing'), argv: ['/bin/cat'] }),
    ).rejects.toMatchObject({ code: 'INVALID_ARG' })
    expect(await bench.multiplexer.list()).toEqual([])
  })

  it('opens 100 panes at the same time, each with its own agent', async () => {
    const agents = Array.from({ length: 100 }, () => newAgentId())
    const opened = await Promise.all(
      agents.map((agentId, index) =>
        bench.open({ agentId, name: `agent-${String(index)}`, argv: ['/bin/cat'] }),
      ),
    )
    expect(new Set(opened.map(({ paneId }) => paneId)).size).toBe(100)
    const panes = await bench.multiplexer.list()
    const byAgent = new Map(panes.map((pane) => [pane.agentId, pane]))
    for (const [index, { agentId, paneId, pid }] of opened.entries()) {
      expect(byAgent.get(agentId)).toMatchObject({
        paneId,
        pid,
        name: `agent-${String(index)}`,
        dead: false,
      })
    }
    expect(panes).toHaveLength(100)
  })

  it('renames panes', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await bench.multiplexer.rename(paneId, 'new #[name] ü')
    expect((await bench.multiplexer.inspect(paneId))?.name).toBe('new #[name] ü')
  })
}
