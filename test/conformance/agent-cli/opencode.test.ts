import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOpenCodeCli } from '../../../src/adapters/agent-cli/opencode/adapter.ts'
import { exec } from '../../../src/processes/exec.ts'
import { opencode } from '../../../src/adapters/agent-cli/opencode/opencode.ts'
import { agentSchema } from '../../../src/config/sections/agent-schema.ts'

const create = ({
  path,
  home,
  variables = {},
}: {
  path: string
  home: string
  variables?: Record<string, string>
}) =>
  createOpenCodeCli({
    name: 'opencode',
    config: agentSchema.parse(opencode.preset),
    path,
    node: '/opt/node',
    home,
    userHome: home,
    variables,
    exec,
  })

describe('what doctor finds of OpenCode', () => {
  const install = (says: string) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'oc-')))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    writeFileSync(
      join(home, 'opencode'),
      `#!/bin/sh\nif [ "$1" = --version ]; then echo '${says}'; fi\n`,
    )
    chmodSync(join(home, 'opencode'), 0o755)
    return home
  }
  const look = (home: string, variables: Record<string, string> = {}) =>
    create({ path: `${home}:/bin`, home, variables }).diagnose('/repository')

  it('is its version against the tested one', async () => {
    expect((await look(install('1.18.33')))[0]).toEqual({ status: 'ok', found: 'OpenCode 1.18.33' })
    expect((await look(install('1.19.0')))[0]).toMatchObject({
      status: 'warning',
      found: 'OpenCode 1.19.0',
      fix: expect.stringContaining('1.18.33'),
    })
    expect((await look(install('hello')))[0]).toMatchObject({ status: 'problem' })
  })

  it('is whether it has a provider to ask: by key, by login, by configuration', async () => {
    const home = install('1.18.33')
    expect((await look(home))[1]).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('opencode auth login'),
    })
    expect((await look(home, { ANTHROPIC_API_KEY: 'k' }))[1]).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
    mkdirSync(join(home, '.config', 'opencode'), { recursive: true })
    writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), '{"provider": {"mine": {}}}')
    expect((await look(home))[1]).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('opencode.json'),
    })
    rmSync(join(home, '.config'), { recursive: true })
    mkdirSync(join(home, '.local', 'share', 'opencode'), { recursive: true })
    writeFileSync(
      join(home, '.local', 'share', 'opencode', 'auth.json'),
      '{"anthropic":{"type":"api","key":"k"}}',
    )
    expect((await look(home))[1]).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('auth login'),
    })
  })
})
