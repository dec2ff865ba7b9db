import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { whyNoZellij } from '../helpers/terminals/zellij.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { closedTerminalTests, terminalTests } from './in-terminal.ts'
import { requireInstalled } from './real-cli.ts'
import { startWorld, type World } from './world.ts'

/**
 * One that draws its box for prompts and reports by hooks, and one that is also looked at by its
 * terminal's title.
 */
for (const cli of [claude, codex]) {
  const title = `${cli.name}, the real one, in Zellij`
  const reason = whyNoZellij() ?? (requireInstalled([cli]) ? null : `${cli.name} is not installed`)
  if (reason !== null) describe.skip(`${title} (skipped: ${reason})`, () => undefined)
  else
    describe(title, () => {
      let world: World
      beforeAll(async () => {
        world = await startWorld([cli], {
          multiplexer: 'zellij',
          tl: cli.name,
          dev: cli.name,
          config: '[delivery]\nhuman_idle = 1',
        })
      }, 120_000)
      afterEach(async () => {
        await world?.clear()
      })
      afterAll(async () => {
        await world?.stop()
      })
      terminalTests(cli, () => world)
      // What Zellij does then is the same for every program.
      if (cli === claude) closedTerminalTests(() => world)
    })
}
