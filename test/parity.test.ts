import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENT_CLIS } from '../src/adapters/agent-cli/all.ts'
import { ERRORS } from '../src/domain/error-codes.ts'
import { ALL_EVENTS } from '../src/events/all.ts'
import { EVENTS } from '../src/events/event.ts'
import { ROUTED_TYPES } from '../src/delivery/router.ts'
import { ALL_TOOLS } from '../src/tools/all.ts'
import { PENDING, PENDING_PARTS, REQUIREMENTS } from './requirements.ts'

/** Lists that are kept in two places agree, in both directions. */

const top = join(import.meta.dirname, '..')
const files = (folder: string, ending: string): string[] =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .toSorted()
const read = (...path: string[]): string => readFileSync(join(top, ...path), 'utf8')

/** Suites that several implementations share are no `.test.ts`. */
const cites = (): string[] =>
  files('test', '.ts').filter(
    (name) =>
      name !== 'requirements.ts' && name !== 'parity.test.ts' && !name.includes('node_modules'),
  )

describe('requirements ↔ tests', () => {
  const cited = new Set(
    cites().flatMap((name) =>
      [...read('test', name).matchAll(/verifies\(\s*['"`]([^'"`]+)['"`]/g)].map(
        (match) => match[1] ?? '',
      ),
    ),
  )

  it('every requirement is cited by a test or stands among the pending ones with its reason', () => {
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id) && !(id in PENDING))).toEqual([])
  })

  it('no test cites a requirement that does not exist', () => {
    expect([...cited].filter((id) => !(id in REQUIREMENTS))).toEqual([])
  })

  it('what a test shows is no longer pending', () => {
    expect([...cited].filter((id) => id in PENDING)).toEqual([])
  })

  it('what is pending in part is shown in its other part', () => {
    expect(Object.keys(PENDING_PARTS).filter((id) => !cited.has(id))).toEqual([])
  })
})

describe('events ↔ files and templates', () => {
  it('every file of an event is in the list, under its own name', () => {
    const inFiles = files('src/events', '.ts')
      .filter((name) => name.includes('/'))
      .map((name) => name.replace(/^.*\//, '').replace(/\.ts$/, ''))
    expect(inFiles.toSorted()).toEqual(Object.keys(EVENTS).toSorted())
    expect(Object.keys(EVENTS)).toEqual(ALL_EVENTS.map(({ type }) => type))
  })

  const templates = files('templates', '.liquid')
    .filter((name) => !name.includes('/'))
    .map((name) => name.replace(/\.liquid$/, ''))

  it('every event that is sent to somebody has words', () => {
    expect(ROUTED_TYPES.filter((type) => !templates.includes(type))).toEqual([])
  })

  it('every template is of an event that is sent to somebody', () => {
    expect(templates.filter((name) => !(ROUTED_TYPES as readonly string[]).includes(name))).toEqual(
      [],
    )
  })
})

describe('agent CLIs ↔ folders, docs and the programs that the tests drive', () => {
  const names = AGENT_CLIS.map(({ name }) => name)

  it('every folder of an agent CLI is in the list, under its own name, which its entry has too', () => {
    const folders = readdirSync(join(top, 'src/adapters/agent-cli'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'acp')
      .map(({ name }) => name)
    expect(folders.toSorted()).toEqual(names.toSorted())
    const entries = files('src/adapters/agent-cli', '.ts')
    expect(names.filter((name) => !entries.includes(`${name}/${name}.ts`))).toEqual([])
  })

  it('every one has its page, with the tested version, and is in the README', () => {
    const pages = files('docs/agents', '.md').map((name) => name.replace(/\.md$/, ''))
    expect(pages).toEqual(names.toSorted())
    for (const known of AGENT_CLIS) {
      expect(read('docs', 'agents', `${known.name}.md`)).toContain(
        `\`${known.package.name}\` ${known.package.tested}`,
      )
      for (const {
        package: { name, tested },
      } of known.acp === undefined ? [] : [known.acp])
        expect(read('docs', 'acp.md')).toContain(`${name} ${tested}`)
      expect(read('README.md')).toMatch(
        new RegExp(`\\| ${known.package.tested} \\|.*docs/agents/${known.name}\\.md`),
      )
    }
  })

  it('the tested versions are those that the tests install', () => {
    const { dependencies } = JSON.parse(read('test', 'agent-clis', 'package.json')) as {
      dependencies: Record<string, string>
    }
    expect(
      Object.fromEntries(
        AGENT_CLIS.flatMap((known) => [known, ...(known.acp === undefined ? [] : [known.acp])]).map(
          (one) => [one.package.name, one.package.tested],
        ),
      ),
    ).toEqual(dependencies)
  })
})

describe('docs/contributing.md ↔ files', () => {
  it('names only what is there, but for its examples', () => {
    const named = [
      ...read('docs', 'contributing.md').matchAll(/`((?:src|test|docs|templates)\/[^`\s]*)`/g),
    ].map((match) => match[1] ?? '')
    expect(named.length).toBeGreaterThan(20)
    expect(
      named.filter(
        (path) => !/<|quill|labelled|postgres/.test(path) && !existsSync(join(top, path)),
      ),
    ).toEqual([])
  })
})

describe('tools ↔ files, docs and guidance', () => {
  const names = ALL_TOOLS.map((tool) => tool.name)
  const reference = read('docs', 'reference', 'tools.md')

  it('every file of a tool is in the list, under its own name', () => {
    const shared = new Set([
      ...['all.ts', 'decision.ts', 'define.ts', 'diff-part.ts', 'shapes.ts', 'types.ts'],
    ])
    const inFiles = files('src/tools', '.ts')
      .filter((name) => !shared.has(name))
      .map((name) => name.replace(/^.*\//, '').replace(/\.ts$/, '').replaceAll('-', '_'))
      .toSorted()
    expect(inFiles).toEqual(names.toSorted())
  })

  it('the list is sorted by name, without doubles', () => {
    expect(names).toEqual([...new Set(names)].toSorted())
  })

  it('the reference has every tool and no other', () => {
    expect([...reference.matchAll(/^## `(\w+)`/gm)].map((match) => match[1])).toEqual(names)
  })

  it('the agents’ guidance names every listed tool', () => {
    const guidance = files('templates/prompts', '.liquid')
      .map((name) => read('templates/prompts', name))
      .join('\n')
    const generated = /\btools\b/.test(guidance) && /\{%-?\s*for\s+tool\s+in\s+tools/.test(guidance)
    expect(
      ALL_TOOLS.filter((tool) => tool.listed && !generated && !guidance.includes(tool.name)).map(
        (tool) => tool.name,
      ),
    ).toEqual([])
  })
})

describe('error codes ↔ docs and code', () => {
  const codes = Object.keys(ERRORS)

  it('the reference has every code and no other', () => {
    const page = read('docs', 'reference', 'errors.md')
    expect([...page.matchAll(/^## ([A-Z_]+)$/gm)].map((match) => match[1]).toSorted()).toEqual(
      codes.toSorted(),
    )
  })

  it('every code is used somewhere', () => {
    const sources = files('src', '.ts')
      .filter((name) => name !== 'errors.ts')
      .map((name) => read('src', name))
      .join('\n')
    const reserved = new Set(RESERVED_CODES)
    expect(
      codes.filter((code) => !reserved.has(code) && !new RegExp(`['"]${code}['"]`).test(sources)),
    ).toEqual([])
    expect([...reserved].filter((code) => new RegExp(`['"]${code}['"]`).test(sources))).toEqual([])
  })
})

describe('events ↔ docs', () => {
  it('the reference has every event and no other', () => {
    const page = read('docs', 'reference', 'events.md')
    expect([...page.matchAll(/^\| `([a-z_.]+)`/gm)].map((match) => match[1])).toEqual(
      Object.keys(EVENTS),
    )
  })
})

/** Codes of the tool surface whose tools come with the issues that PENDING names. */
const RESERVED_CODES: readonly string[] = []
