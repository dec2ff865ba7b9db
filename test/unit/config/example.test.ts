import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { PLACEHOLDERS } from '../../../src/config/check.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { ACP_PRESETS, AGENT_PRESETS } from '../../../src/config/presets.ts'
import { configJsonSchema, type SchemaNode } from '../../../src/config/schema-guide.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { initialConfig } from '../../../src/surfaces/cli/init/config.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'

const file = join(import.meta.dirname, '..', '..', '..', '.exomonad.example', 'config.toml')
const text = readFileSync(file, 'utf8')
const toolNames = ALL_TOOLS.map((tool) => tool.name)
/**
 * Settings that are switched off begin with # and no space, in the example; with # and a space in
 * what init writes.
 */
const switchedOn = (config: string, mark: RegExp): string => config.replace(mark, '')

/** Every key of the schema as a path; `*` stands for a name of the user’s. */
function keysOf(node: SchemaNode, root: SchemaNode, path: readonly string[] = []): string[] {
  const target =
    node.$ref === undefined ? node : (root.$defs?.[node.$ref.split('/').at(-1) ?? ''] ?? node)
  const inner = Object.entries(target.properties ?? {}).flatMap(([key, value]) =>
    keysOf(value, root, [...path, key]),
  )
  const named =
    typeof target.additionalProperties === 'object' &&
    target.additionalProperties.$ref !== undefined
      ? keysOf(target.additionalProperties, root, [...path, '*'])
      : []
  const all = [...inner, ...named]
  return all.length > 0 ? all : [path.join('.')]
}

function has(document: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (key === undefined) return true
  if (document === null || typeof document !== 'object') return false
  const table = document as Record<string, unknown>
  return key === '*'
    ? Object.values(table).some((value) => has(value, rest))
    : key in table && has(table[key], rest)
}

describe('.exomonad.example/config.toml', () => {
  it('is valid as it stands, and shows the true defaults', () => {
    expect(parseConfig(text, file, { toolNames })).toEqual(
      configSchema.parse({ agents: AGENT_PRESETS, acp: ACP_PRESETS }),
    )
  })

  it('documents every key there is', () => {
    const schema = configJsonSchema()
    const keys = keysOf(schema, schema)
    expect(keys.length).toBeGreaterThan(40)
    const document = parse(switchedOn(text, /^#(?=[a-z[])/gm))
    expect(keys.filter((key) => !has(document, key.split('.')))).toEqual([])
  })

  it('is valid with everything switched on', () => {
    const config = parseConfig(switchedOn(text, /^#(?=[a-z[])/gm), file, { toolNames })
    expect(config.roles['tl']?.agent).toBe('claude')
    expect(config.forge.local.ci).toEqual(['npm', 'test'])
  })

  it('names every placeholder', () => {
    for (const placeholder of PLACEHOLDERS) expect(text).toContain(`{{${placeholder}}}`)
  })
})

describe('what init writes', () => {
  it('is valid as it stands and with everything switched on, and sets nothing by itself', () => {
    expect(parseConfig(initialConfig(null), 'f')).toEqual(
      configSchema.parse({ agents: AGENT_PRESETS, acp: ACP_PRESETS }),
    )
    const config = parseConfig(switchedOn(initialConfig(null), /^# (?=\[|[a-z]+ = )/gm), 'f')
    expect(config.roles['dev']).toEqual({
      agent: 'claude',
      runtime: 'pane',
      sandbox: 'off',
      permissions: { policy: 'ask', allow: [] },
    })
    expect(config.agents['mine']?.adapter).toBe('command')
  })

  it('names GitHub where that was found, and its host where nobody would know it', () => {
    const { forge } = parseConfig(initialConfig(null, { kind: 'github', host: null }), 'f')
    expect(forge).toEqual({ ...configSchema.parse({}).forge, kind: 'github' })
    expect(
      parseConfig(initialConfig(null, { kind: 'github', host: 'git.example.com' }), 'f').forge,
    ).toMatchObject({
      kind: 'github',
      github: { host: 'git.example.com' },
    })
  })

  it('gives both roles the agent CLI that was found, and asks for nothing else', () => {
    const { roles, ...rest } = parseConfig(initialConfig('codex'), 'f')
    const role = {
      agent: 'codex',
      runtime: 'pane',
      sandbox: 'off',
      permissions: { policy: 'off', allow: [] },
    }
    expect(roles).toEqual({ tl: role, dev: role })
    expect(rest).toEqual(
      (({ roles: _, ...defaults }) => defaults)(
        configSchema.parse({ agents: AGENT_PRESETS, acp: ACP_PRESETS }),
      ),
    )
  })
})
