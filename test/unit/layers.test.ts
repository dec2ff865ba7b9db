import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cycles, forbidden, importsOf, LIBRARY, roomOf, ROOMS } from '../layers.ts'

/** The real import graph against the one table of layers, types included. */

const src = join(import.meta.dirname, '..', '..', 'src')
const names = ['', LIBRARY].flatMap((folder) =>
  readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name)),
)
const sources = new Map(names.map((name) => [name, readFileSync(join(src, name), 'utf8')]))

describe('the rooms of the sources', () => {
  it('import only what the table of layers allows', () => {
    expect(forbidden(sources)).toEqual([])
  })

  it('have no cycle, type imports included', () => {
    expect(cycles(sources)).toEqual([])
  })

  it('are all in the table, and nothing else is', () => {
    expect(new Set(names.map(roomOf))).toEqual(new Set(Object.keys(ROOMS)))
  })

  it('are seen: every relative import leads to a source', () => {
    const imports = importsOf(sources).filter(({ to }) => to.endsWith('.ts'))
    expect(imports.length).toBeGreaterThan(3000)
    expect(imports.filter(({ to }) => !sources.has(to))).toEqual([])
  })

  it('have at most 25 files on a floor', () => {
    const counts = Map.groupBy(names, (name) => name.split('/').slice(0, -1).join('/'))
    expect([...counts].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual(
      [],
    )
  })
})

describe('the table of layers', () => {
  const judged = (path: string, text: string, ...others: string[]): string[] =>
    forbidden(new Map([[path, text], ...others.map((other): [string, string] => [other, ''])]))

  it.each([
    ['core/a.ts', `import { spawn } from 'node:child_process'\n`, 'node:child_process'],
    ['core/a.ts', `import { execa } from 'execa'\n`, 'execa'],
    ['core/a.ts', `import { simpleGit } from 'simple-git'\n`, 'simple-git'],
    ['surfaces/http/a.ts', `import { createServer } from 'node:http'\n`, 'undici'],
    [
      'core/a.ts',
      `import { createGit } from '../adapters/git/open.ts'\n`,
      'only types of adapters/git',
      'adapters/git/open.ts',
    ],
    [
      'core/a.ts',
      `const late = await import('../tools/all.ts')\n`,
      'nothing of tools',
      'tools/all.ts',
    ],
    [
      'core/a.ts',
      `export { route } from '../delivery/router.ts'\n`,
      'nothing of delivery',
      'delivery/router.ts',
    ],
    [
      'core/a.ts',
      `import {\n  route,\n  other,\n} from '../delivery/router.ts'\n`,
      'nothing of delivery',
      'delivery/router.ts',
    ],
    [
      'adapters/forge/a.ts',
      `import { open } from '../git/open.ts'\n`,
      'only types of adapters/git',
      'adapters/git/open.ts',
    ],
    [
      'adapters/forge/a.ts',
      `import type { Core } from '../../core/core.ts'\n`,
      'nothing of core',
      'core/core.ts',
    ],
    [
      '../packages/subagents/src/a.ts',
      `import type { Core } from '../../../src/core/core.ts'\n`,
      'nothing of core',
      'core/core.ts',
    ],
    [
      'surfaces/cli/a.ts',
      `import { all } from '../../index.ts'\n`,
      'nothing of src/index.ts',
      'index.ts',
    ],
    [
      'domain/a.ts',
      `import type { Log } from '../runtime/log.ts'\n`,
      'nothing of runtime',
      'runtime/log.ts',
    ],
    [
      'config/a.ts',
      `import { claude } from '../adapters/agent-cli/claude/claude.ts'\n`,
      'nothing of adapters/agent-cli',
      'adapters/agent-cli/claude/claude.ts',
    ],
  ])('forbids %s: %s', (path, text, words, ...others) => {
    expect(judged(path, text, ...others)).toEqual([expect.stringContaining(words)])
  })

  it.each([
    ['core/a.ts', `import type { Git } from '../adapters/git/git.ts'\n`, 'adapters/git/git.ts'],
    ['core/a.ts', `let all: typeof import('../adapters/git/git.ts')\n`, 'adapters/git/git.ts'],
    ['core/spawn/a.ts', `import { b } from '../agents/b.ts'\n`, 'core/agents/b.ts'],
    [
      'config/a.ts',
      `import { KNOWN } from '../adapters/agent-cli/known.ts'\n`,
      'adapters/agent-cli/known.ts',
    ],
    ['surfaces/auth.ts', `import type { IncomingMessage } from 'node:http'\n`],
    ['processes/exec.ts', `import { spawn } from 'node:child_process'\n`],
  ])('allows %s: %s', (path, text, ...others) => {
    expect(judged(path, text, ...others)).toEqual([])
  })

  it('finds circles of any length, types included', () => {
    const circle = new Map([
      ['a.ts', `import type { B } from './b.ts'\n`],
      ['b.ts', `import { c } from './c.ts'\n`],
      ['c.ts', `import './a.ts'\nimport './d.ts'\n`],
      ['d.ts', ''],
    ])
    expect(cycles(circle)).toEqual([['a.ts', 'b.ts', 'c.ts']])
    circle.set('c.ts', '')
    expect(cycles(circle)).toEqual([])
  })
})
