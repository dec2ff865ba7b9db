import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { demoPlace, processesOf, runDemo } from '../../helpers/demo.ts'
import { findTool } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { whyNoZellij } from '../../helpers/terminals/zellij.ts'

/** Longest a demo may take here. Milliseconds. */
const LIMIT = 300_000

const reason = whyNoZellij()
const title = 'the demo, in Zellij'
if (reason === null) {
  describe(title, () => {
    it(
      'comes to its end, and leaves no session, process or file',
      async () => {
        const own = demoPlace()
        onTestFinished(own.remove)
        const run = await runDemo(own, LIMIT, '--json', '--multiplexer', 'zellij')
        expect(run.stderr).toBe('')
        expect(run).toMatchObject({
          code: 0,
          json: { ok: true, agents: 6, prs_merged: 6, failed_deliveries: 0 },
        })
        await waitFor('the demo’s processes to be gone', () => processesOf(own.folder).length === 0)
        expect(readdirSync(own.folder).filter((name) => name.startsWith('exomonad'))).toEqual([])
      },
      LIMIT + 20_000,
    )
  })
} else describe.skip(`${title} (skipped: ${reason})`, () => undefined)

describe('the demo, where Zellij is wished for', () => {
  it('says which one is needed where there is none, or an older one, and leaves nothing', async () => {
    const own = demoPlace()
    onTestFinished(own.remove)
    const bin = join(own.folder, 'bin')
    mkdirSync(bin)
    for (const tool of ['git', 'sh', 'env']) symlinkSync(findTool(tool) ?? '', join(bin, tool))
    const demo = () =>
      runProgram(process.execPath, [BIN, 'demo', '--json', '--multiplexer', 'zellij'], {
        cwd: own.folder,
        env: { ...own.env, PATH: bin },
      })
    expect(await demo()).toMatchObject({
      code: 1,
      json: {
        code: 'MULTIPLEXER_UNAVAILABLE',
        error: expect.stringContaining('zellij is not installed. Install 0.44.2'),
      },
    })
    writeFileSync(join(bin, 'zellij'), "#!/bin/sh\necho 'zellij 0.43.1'\n", { mode: 0o755 })
    expect(await demo()).toMatchObject({
      code: 1,
      json: { code: 'MULTIPLEXER_UNAVAILABLE', found: '0.43.1', needed: '0.44.2' },
    })
    expect(readdirSync(own.folder).filter((name) => name.startsWith('exomonad'))).toEqual([])
  })
})
