import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWith, findTool } from '../../helpers/terminals/require-tool.ts'

/**
 * Scripts that run on the machines of people, whose sh is dash, busybox, or bash 3.2 on macOS. That
 * one can't be had here, so that they may use nothing which POSIX does not have.
 */
const top = join(import.meta.dirname, '..', '..', '..')
const scripts = ['hooks', 'plugins/claude-code/hooks', 'plugins/gemini-cli/hooks'].flatMap(
  (folder) =>
    readdirSync(join(top, folder))
      .filter((name) => name.endsWith('.sh'))
      .map((name) => join(folder, name)),
)

interface Finding {
  readonly file: string
  readonly code: number
  readonly level: 'error' | 'warning' | 'info' | 'style'
  readonly message: string
}
/** Its numbers of all that POSIX sh does not have. */
const isPortability = ({ code }: Finding): boolean => code >= 3000 && code < 4000

function check(args: readonly string[], input?: string): Finding[] {
  const program = findTool('shellcheck') ?? ''
  const { stdout } = spawnSync(program, ['--shell=sh', '--format=json1', ...args], {
    cwd: top,
    encoding: 'utf8',
    input,
  })
  return (JSON.parse(stdout) as { comments: Finding[] }).comments
}

describeWith(['shellcheck'], 'the hooks', () => {
  it('use what POSIX sh has, and limits of data, which each shell has', () => {
    expect(scripts.length).toBeGreaterThan(10)
    const found = check(scripts).filter((one) => one.level === 'error' || isPortability(one))
    expect(found.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      'hooks/limited.sh: In POSIX sh, ulimit -d is undefined.',
    ])
  })

  it.each(['[[ -n $word ]]', 'words=(a b)', 'read -r word <<<"$words"', 'echo "${word^^}"'])(
    'would not pass with %s',
    (line) => expect(check(['-'], `#!/bin/sh\nword=\n${line}\n`).some(isPortability)).toBe(true),
  )
})
