import { spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processesOf } from '../../helpers/demo.ts'
import { findTool } from '../../helpers/terminals/require-tool.ts'
import { tempHome } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'install-zellij.sh')

/**
 * In cargo’s place: writes down how it was called, leaves a target folder, and then does as the
 * test says.
 */
const CARGO = (how: string): string => `#!/usr/bin/env bash
echo "$*" >> "$CALLS"
while [ $# -gt 0 ]; do case $1 in --root) root=$2 ;; --target-dir) target=$2 ;; zellij@*) version=\${1#zellij@} ;; esac; shift; done
mkdir -p "$target/release" "$root/bin"
echo much > "$target/release/much"
${how}
`
const BUILD = `echo "   Compiling zellij v$version" >&2
printf '#!/bin/sh\\necho zellij %s\\n' "$version" > "$root/bin/zellij"
chmod +x "$root/bin/zellij"`

interface Setting {
  readonly folder: string
  /** Where it keeps what it built. */
  readonly cache: string
  readonly binary: string
  calls(): string[]
  /** What cargo does from now on; null: there is none. */
  cargo(how: string | null): void
  begin(
    env?: Readonly<Record<string, string>>,
    ...args: string[]
  ): {
    child: ChildProcess
    ended: Promise<{ code: number | null; stdout: string; stderr: string }>
  }
  install: (
    env?: Readonly<Record<string, string>>,
    ...args: string[]
  ) => Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Only what the script needs is on PATH. */
function prepare(): Setting {
  const { folder, home, env, remove } = tempHome()
  onTestFinished(async () => {
    await waitFor('what the test started to be gone', () => processesOf(folder).length === 0)
    remove()
  })
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const tool of [
    'bash',
    'sh',
    'env',
    'mkdir',
    'mktemp',
    'rm',
    'mv',
    'sleep',
    'tee',
    'grep',
    'chmod',
    'flock',
    'cat',
  ]) {
    const path = findTool(tool)
    if (path !== undefined) symlinkSync(path, join(bin, tool))
  }
  const calls = join(folder, 'calls')
  const cache = join(home, '.cache', 'exomonad', 'zellij-0.45.1')
  const begin: Setting['begin'] = (more = {}, ...args) => {
    const child = spawn(SCRIPT, args, {
      cwd: folder,
      env: { ...env, PATH: bin, CALLS: calls, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { stdout: '', stderr: '' }
    child.stdout?.on('data', (data: Buffer) => (said.stdout += String(data)))
    child.stderr?.on('data', (data: Buffer) => (said.stderr += String(data)))
    return {
      child,
      ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said }))),
    }
  }
  return {
    folder,
    cache,
    binary: join(cache, 'bin', 'zellij'),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []),
    cargo(how) {
      rmSync(join(bin, 'cargo'), { force: true })
      if (how !== null) writeFileSync(join(bin, 'cargo'), CARGO(how), { mode: 0o755 })
    },
    begin,
    install: (more, ...args) => begin(more, ...args).ended,
  }
}

const leftIn = (cache: string): string[] =>
  readdirSync(cache).filter((name) => !['bin', 'lock'].includes(name))

describe('scripts/install-zellij.sh', () => {
  it('builds what is pinned, with the crates it was released with, and does nothing where that is there', async () => {
    const { cache, binary, calls, cargo, install } = prepare()
    cargo(BUILD)
    const first = await install()
    expect(first).toMatchObject({ code: 0, stdout: `${binary}\n` })
    expect(first.stderr).toContain('Compiling zellij v0.45.1')
    expect(calls()).toEqual([
      expect.stringMatching(
        /^install --locked --no-track zellij@0\.45\.1 .*--no-default-features --features \S+ .*--config profile\.release\.lto="off"/,
      ),
    ])
    expect(leftIn(cache)).toEqual([])
    // The second finds it before it looks for cargo.
    cargo(null)
    expect(await install({}, '--limit', '60')).toEqual({
      code: 0,
      stdout: `${binary}\n`,
      stderr: '',
    })
    expect(calls()).toHaveLength(1)
  })

  it('builds another version elsewhere, and anew where the one that is there does not run', async () => {
    const { folder, binary, calls, cargo, install } = prepare()
    cargo(BUILD)
    const other = join(folder, 'kept here')
    expect(
      await install({ EXOMONAD_ZELLIJ_VERSION: '0.44.3', EXOMONAD_ZELLIJ_FOLDER: other }),
    ).toMatchObject({ code: 0, stdout: `${other}/bin/zellij\n` })
    expect(readFileSync(join(other, 'bin', 'zellij'), 'utf8')).toContain('zellij 0.44.3')
    await install()
    writeFileSync(binary, 'of another system')
    expect((await install()).code).toBe(0)
    expect(calls()).toHaveLength(3)
    expect(readFileSync(binary, 'utf8')).toContain('zellij 0.45.1')
  })

  it('ends at its limit with 4, the compilers with it, and leaves nothing; the next one builds', async () => {
    const { cache, binary, cargo, folder, install } = prepare()
    cargo('sleep 600 & wait')
    const late = await install({}, '--limit', '1')
    expect(late).toMatchObject({ code: 4, stdout: '' })
    expect(late.stderr).toContain('not ready within 1 seconds')
    await waitFor('cargo to be gone', () => processesOf(folder).length === 0)
    expect(leftIn(cache)).toEqual([])
    expect(existsSync(binary)).toBe(false)
    cargo(BUILD)
    expect((await install()).code).toBe(0)
  })

  it('takes away what it wrote when it is interrupted, and what one that was killed left', async () => {
    const { cache, calls, cargo, folder, begin, install } = prepare()
    cargo('sleep 600 & wait')
    const interrupted = begin()
    await waitFor('cargo to build', () => calls().length === 1)
    interrupted.child.kill('SIGTERM')
    expect((await interrupted.ended).code).toBe(1)
    await waitFor('cargo to be gone', () => processesOf(folder).length === 0)
    expect(leftIn(cache)).toEqual([])
    mkdirSync(join(cache, 'build.killed', 'target'), { recursive: true })
    cargo(BUILD)
    expect((await install()).code).toBe(0)
    expect(leftIn(cache)).toEqual([])
  })

  it('says with 3 that it could not begin, and with 1 that it failed', async () => {
    const { cache, cargo, install } = prepare()
    const without = await install()
    expect(without).toMatchObject({ code: 3, stderr: expect.stringContaining('no cargo on PATH') })
    cargo(`echo "error: failed to download from registry: Could not resolve host" >&2; exit 101`)
    expect(await install()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("can't reach its registry"),
    })
    cargo(
      `echo '   Compiling x v1.0.0' >&2; echo 'error: linking failed: connection timed out' >&2; exit 101`,
    )
    expect(await install()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('the build failed'),
    })
    cargo(
      `printf '#!/bin/sh\\necho zellij 0.1.0\\n' > "$root/bin/zellij"; chmod +x "$root/bin/zellij"`,
    )
    expect(await install()).toMatchObject({ code: 1, stdout: '' })
    expect(leftIn(cache)).toEqual([])
    for (const args of [['--limit'], ['--limit', 'soon'], ['--what']])
      expect(await install({}, ...args)).toMatchObject({ code: 2, stdout: '' })
  })

  it('is built once by two at the same time', async () => {
    const { folder, binary, calls, cargo, begin } = prepare()
    cargo(`until [ -e "${folder}/go" ]; do sleep 0.05; done\n${BUILD}`)
    const both = [begin(), begin()]
    await waitFor('one of them to build', () => calls().length === 1)
    writeFileSync(join(folder, 'go'), '')
    for (const { ended } of both)
      expect(await ended).toMatchObject({ code: 0, stdout: `${binary}\n` })
    expect(calls()).toHaveLength(1)
  })
})
