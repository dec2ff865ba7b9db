import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AGENT_CLIS } from '../../../../src/adapters/agent-cli/all.ts'
import { directToLoopback, NETWORK } from '../../../../src/adapters/agent-cli/network.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { loadAgentClis } from '../../../../src/daemon/agent-clis.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const { create } = await loadAgentClis()

/** A CLI of that name in a folder of its own, run by somebody with these variables. */
function cliOf({ name, preset }: (typeof AGENT_CLIS)[number], variables: Record<string, string>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n')
  chmodSync(join(folder, name), 0o755)
  const config = agentSchema.parse(preset)
  const cli = create({
    name,
    config,
    path: `${folder}:/usr/bin:/bin`,
    node: '/opt/node',
    home: folder,
    userHome: folder,
    variables,
    exec,
  })
  return {
    cli,
    plan: () =>
      cli.plan(
        launchRequest({ folder: join(folder, 'agent'), worktree: folder, repository: folder }),
      ),
  }
}

describe('a network behind a proxy', () => {
  it.each(AGENT_CLIS)(
    'is passed on to $name, whose way to this machine stays direct',
    async (known) => {
      const { cli, plan } = cliOf(known, {
        HTTPS_PROXY: 'http://proxy.example:3128',
        NO_PROXY: 'intranet.example',
      })
      expect(cli.passes).toEqual(expect.arrayContaining([...NETWORK]))
      expect((await plan()).env).toMatchObject({
        NO_PROXY: 'intranet.example,127.0.0.1,localhost',
        no_proxy: 'intranet.example,127.0.0.1,localhost',
      })
    },
  )

  it.each(AGENT_CLIS)('adds nothing for $name where there is none', async (known) => {
    expect(Object.keys((await cliOf(known, {}).plan()).env)).not.toContain('NO_PROXY')
  })

  it('is known by each of its names', () => {
    for (const name of ['HTTP_PROXY', 'https_proxy', 'ALL_PROXY'])
      expect(directToLoopback({ [name]: 'http://p' })).toHaveProperty(
        'NO_PROXY',
        '127.0.0.1,localhost',
      )
    for (const variables of [{}, { HTTPS_PROXY: '' }, { NO_PROXY: 'x' }])
      expect(directToLoopback(variables)).toEqual({})
  })
})
