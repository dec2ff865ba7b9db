import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/**
 * What the linter holds to is shown to bite, on a file that breaks it on purpose; what may import
 * what is in layers.test.ts.
 */

const top = join(import.meta.dirname, '..', '..')

describe('the linter', () => {
  let folder = ''
  let findings: { file: string; rule: string; text: string }[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lint-'))
    cpSync(join(top, 'test', 'fixtures', 'lint'), folder, { recursive: true })
    copyFileSync(join(top, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    const output = await new Promise<string>((resolve) => {
      const linter = join(top, 'node_modules', 'oxlint', 'bin', 'oxlint')
      execFile(
        process.execPath,
        [linter, '-c', '.oxlintrc.json', '-f', 'unix', '.'],
        { cwd: folder },
        (_error, stdout) => resolve(stdout),
      )
    })
    findings = [...output.matchAll(/^(\S+?):\d+:\d+: (.*) \[Error\/\w+\(([\w-]+)\)\]$/gm)].map(
      ([, file = '', text = '', rule = '']) => ({ file, rule, text }),
    )
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const foundIn = (file: string, rule: string): string[] =>
    findings
      .filter((finding) => finding.file === file && finding.rule === rule)
      .map(({ text }) => /^'([^']+)'/.exec(text)?.[1] ?? text)

  it('keeps the environment and the end of the process in one place each', () => {
    expect(foundIn('src/core/violation.ts', 'no-process-env')).toHaveLength(1)
    expect(foundIn('src/core/violation.ts', 'no-process-exit')).toHaveLength(1)
  })
})

describe('the sources', () => {
  const library = '../packages/subagents/src'
  const sources = ['', library].flatMap((folder) =>
    readdirSync(join(top, 'src', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => posix.join(folder, name)),
  )
  const offenders = (pattern: RegExp, allowed: readonly string[] = []): string[] =>
    sources.filter(
      (name) =>
        !allowed.includes(name) && pattern.test(readFileSync(join(top, 'src', name), 'utf8')),
    )

  it('have no classes but errors and what a library wants extended', () => {
    expect(
      offenders(/^(export )?(default )?(abstract )?class \w+(<[^>]*>)? (?!extends )/m),
    ).toEqual([])
  })

  it('have no folder or file that everything is thrown into', () => {
    expect(
      sources.filter((name) => /(^|\/)(utils?|helpers?|lib|common|misc)(\/|\.ts$)/.test(name)),
    ).toEqual([])
  })

  it('read JSON and TOML from outside by the readers that bound its depth', () => {
    const own = [
      'processes/host/framing.ts',
      'surfaces/mcp/proxy-protocol.ts',
      `${library}/own-package.ts`,
    ]
    const readers = sources
      .filter((name) => name.startsWith('adapters/store/sql/'))
      .concat(`${library}/parse-json.ts`, own)
    expect(offenders(/JSON\.parse/, readers)).toEqual([])
    expect(
      offenders(/import (?!type).*\bparse\b.*'smol-toml'/, ['domain/formats/parse-toml.ts']),
    ).toEqual([])
  })

  it('start, signal and list processes in a few files of one folder, and of the library’s', () => {
    // Zellij’s, until it only shows terminals.
    const foreign = offenders(/child_process|\bexeca\b|process\.kill\b|\/proc\b/).filter(
      // And the sandbox names the /proc of its own that it gives.
      (name) =>
        !name.startsWith('adapters/terminals/zellij/') && name !== 'adapters/sandbox/bubblewrap.ts',
    )
    const [own, others] = [`${library}/processes/`, 'processes/'].map((folder) =>
      foreign.filter((name) => name.startsWith(folder)),
    )
    expect(foreign.filter((name) => !own?.includes(name) && !others?.includes(name))).toEqual([])
    expect(own).toHaveLength(3)
    expect(others?.length).toBeLessThanOrEqual(7)
  })

  it('never take a death by signal for success', () => {
    expect(offenders(/exitCode \?\? 0|code \?\? 0/)).toEqual([])
  })
})

it('package.json says nothing twice: of two keys alike the first would count for nothing', () => {
  const text = readFileSync(join(top, 'package.json'), 'utf8')
  const keys = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, key]) => key)
  expect(keys).toEqual([...new Set(keys)])
})
