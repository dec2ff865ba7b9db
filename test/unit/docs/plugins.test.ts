import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pluginFacts } from '../../../docs/generator/plugin-facts.ts'
import { renderPlugins } from '../../../docs/generator/plugins.ts'
import { commandsOf, parsedBy } from '../../helpers/command-lines.ts'
import { findTool } from '../../helpers/terminals/require-tool.ts'

/** What agent CLIs are given (plugins/); the real ones take it in test/e2e/plugins.test.ts. */
const top = join(import.meta.dirname, '..', '..', '..')
const facts = pluginFacts(top)
const files = renderPlugins(facts)

describe('plugins/', () => {
  it('is what `npm run docs` makes of its source, and nothing else', () => {
    for (const [file, text] of files) expect(readFileSync(join(top, file), 'utf8'), file).toBe(text)
    const there = readdirSync(join(top, 'plugins'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1))
    const source = 'plugins/skills/split-work/SKILL.md'
    const made = [...files.keys()].filter((file) => file.startsWith('plugins/'))
    expect(there.toSorted()).toEqual([...made, source].toSorted())
  })

  it('names commands that there are, with options that they take', async () => {
    const texts = [...files].filter(([file]) => /\.(md|toml)$/.test(file)).map(([, text]) => text)
    const said = texts.flatMap((text) => [
      ...[...text.matchAll(/`(exomonad [^`]+)`/g)].map(([, line = '']) => line),
      ...[...text.matchAll(/^```sh\n([^`]+)^```/gm)].flatMap(([, block = '']) =>
        block.trim().split('\n'),
      ),
      ...[...text.matchAll(/!\{(exomonad [^\n]+)\}$/gm)].map(([, line = '']) => line),
    ])
    expect(new Set(said).size).toBeGreaterThan(10)
    const filled = (line: string): string =>
      line
        .replaceAll(/\$ARGUMENTS|\{\{args\}\}|NAME/g, 'auth')
        .replace(/(pr (merge|diff|review)|logs)( --request-changes)?$/, '$1 auth$3')
    for (const line of new Set(said))
      for (const [, ...words] of commandsOf(filled(line)))
        await expect(parsedBy(words), line).resolves.toBeTypeOf('string')
  })

  it('has a skill whose name and description agents take', () => {
    const [, name, description = ''] =
      /^---\nname: (.*)\ndescription: (.*)\n/.exec(facts.skill) ?? []
    expect(name).toBe('split-work')
    expect(description).toMatch(/^.{100,1024}$/)
    // A colon would end the value for a strict reader.
    expect(description).not.toMatch(/: /)
  })
})

describe('server.json', () => {
  it('holds by the schema that it names', () => {
    const file = join(top, 'test', 'fixtures', 'mcp-registry', 'server.schema.json')
    const schema = JSON.parse(readFileSync(file, 'utf8')) as { $id: string }
    // It has examples in it, which ajv would take for mistakes.
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const holds = ajv.compile(schema)
    const entry = JSON.parse(files.get('server.json') ?? '') as Record<string, unknown>
    expect(entry['$schema']).toBe(schema.$id)
    holds(entry)
    expect(holds.errors).toBeNull()
    expect(holds({ ...entry, description: 'x'.repeat(101) })).toBe(false)
    expect(holds({ ...entry, name: 'exomonad' })).toBe(false)
  })

  it('is of the package that there is', () => {
    const entry = JSON.parse(files.get('server.json') ?? '') as {
      name: string
      version: string
      packages: { identifier: string; version: string }[]
    }
    const packageJson = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
      name: string
      version: string
      mcpName: string
    }
    expect(entry.name).toBe(packageJson.mcpName)
    expect(entry.version).toBe(packageJson.version)
    expect(entry.packages).toMatchObject([
      { identifier: packageJson.name, version: packageJson.version },
    ])
  })
})

/** `sh` is dash on Debian and bash 3.2 on macOS; the others where they are installed. */
const SHELLS = [
  ['sh'],
  ['bash', '--posix'],
  ['dash'],
  ['busybox', 'sh'],
  ['zsh', '--emulate', 'sh'],
]
describe.each(
  SHELLS.filter(([name = '']) => findTool(name) !== undefined).map(
    (shell) => [shell.join(' '), shell] as const,
  ),
)('the hook of a session in %s', (_, shell) => {
  let bin: string
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), 't-plugins-'))
  })
  afterAll(() => rmSync(bin, { recursive: true, force: true }))

  function says(words: string | null, env: Record<string, string> = {}): string {
    const program = join(bin, 'exomonad')
    rmSync(program, { force: true })
    if (words !== null)
      writeFileSync(
        program,
        `#!/bin/sh\n[ "$*" = "status --short" ] && printf '%s\\n' '${words}'\n`,
        {
          mode: 0o755,
        },
      )
    const [name = '', ...args] = shell
    const script = join(top, 'plugins', 'claude-code', 'hooks', 'attention.sh')
    const result = spawnSync(findTool(name) ?? '', [...args, script], {
      encoding: 'utf8',
      env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
    })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    return result.stdout
  }

  it('says how many things need the person, as JSON that agent CLIs take', () => {
    expect(JSON.parse(says('exo 3 ◐ 2 !'))).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        additionalContext: expect.stringContaining('is needed for: 2 ('),
      },
    })
    expect(says('exo 1 !')).toContain('is needed for: 1 (')
  })

  it('says nothing where nothing needs them, nobody runs, or it is one of exomonad’s agents', () => {
    expect(says('exo 3 ◐')).toBe('')
    expect(says('')).toBe('')
    expect(says(null)).toBe('')
    expect(says('exo 2 !', { EXOMONAD_AGENT_ID: 'a-1' })).toBe('')
  })
})
