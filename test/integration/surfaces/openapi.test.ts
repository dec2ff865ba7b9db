import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../../src/runtime/log.ts'
import { requestOverSocket, readText } from '../../../src/surfaces/socket-http.ts'
import { createHttpServer } from '../../../src/surfaces/http/server.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import {
  hashOf,
  OWNER_TOKEN,
  scriptedCore,
  scriptedEvents,
} from '../../unit/surfaces/scripted-core.ts'

/** The document as a daemon serves it. */
async function served(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'o-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const core = scriptedCore()
  const server = await createHttpServer({
    core,
    tools: ALL_TOOLS,
    events: scriptedEvents(),
    ownerTokenHash: hashOf(OWNER_TOKEN),
    findAgentByTokenHash: core.directory.byTokenHash,
    log: createLog({ level: 'error', destination: { write: () => {} } }),
    version: '1.2.3',
    repository: '/a/repository',
    clock: Date.now,
    gate: createTextGate(),
  })
  onTestFinished(() => server.close())
  const socket = join(folder, 'daemon.sock')
  await server.listen(socket)
  return readText(
    await requestOverSocket({
      socket,
      method: 'GET',
      path: '/openapi.json',
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
    }),
  )
}

describe('the OpenAPI document', () => {
  it('passes Redocly', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({
      source: await served(),
      absoluteRef: 'openapi.json',
      config,
    })
    expect(
      problems.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      ),
    ).toEqual([])
  })

  it('passes Spectral', async () => {
    const linter = new spectral.Spectral()
    // Whom to write to, and where, is nothing that a daemon of one’s own could say.
    linter.setRuleset({
      extends: [[rulesets.oas as never, 'all']],
      rules: { 'contact-properties': 'off' },
    } as never)
    const problems = await linter.run(await served())
    expect(
      problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`),
    ).toEqual([])
  })
})
