import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInstalled } from '../helpers/sandbox.ts'
import { opencode } from './clis/opencode.ts'
import { allowDialogs } from './dialogs.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld, type World } from './world.ts'

const SECRET = 'word-of-the-home'

/** The same program, in the sandbox of exomonad. */
const confined = (cli: RealCli, level: 'workspace' | 'offline'): RealCli => ({
  ...cli,
  config: (model) => `sandbox = "${level}"\n${cli.config(model)}`,
  prepareHome: (home, model) => {
    cli.prepareHome?.(home, model)
    if (cli === opencode) snapshots(home)
    mkdirSync(join(home, '.ssh'), { recursive: true })
    writeFileSync(join(home, '.ssh', 'id_ed25519'), SECRET)
  },
})

/** As by default: its snapshots are made with git, which is another one in the sandbox. */
function snapshots(home: string): void {
  const file = join(home, '.config', 'opencode', 'opencode.json')
  const { snapshot: _, ...others } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(others))
}

/** Offline it is confined as in a workspace, and more. */
export const confinedEndToEnd = (
  cli: RealCli,
  level: 'workspace' | 'offline' = 'offline',
): void => {
  describe.skipIf(!requireInstalled([cli]) || !isInstalled())(
    `${cli.name} in the sandbox, ${level}`,
    () => {
      let world: World
      beforeAll(async () => {
        const held = confined(cli, level)
        world = await startWorld([held], {
          tl: cli.name,
          dev: cli.name,
          config: (model) =>
            `[delivery]\nhuman_idle = 1\n[sandbox]\nallow_hosts = ["${new URL(model.url).host}"]`,
        })
      }, 120_000)
      afterAll(async () => {
        await world?.stop()
      })

      it('commits, files its pull request, and sees nothing of the home', async () => {
        const { name, worktree } = await world.stays()
        await world.send(name, [
          {
            shell: [
              `cat '${world.tree.repository.home}/.ssh/id_ed25519' > seen.txt 2>&1`,
              `echo work > work.txt`,
              'git add -A',
              'git commit -q -m "Work"',
            ].join('; '),
          },
          { call: 'file_pr', input: { title: 'Work', body: 'Some work.' } },
          { say: 'Filed.' },
        ])
        await allowDialogs(
          world,
          [{ agent: name, cli }],
          async () => (await world.tree.agent(name)).pr !== null,
        )
        await world.state(name, 'idle')
        expect((await world.tree.agent(name)).pr).toMatchObject({ state: 'open' })
        expect(existsSync(join(worktree, 'work.txt'))).toBe(true)
        expect(readFileSync(join(worktree, 'seen.txt'), 'utf8')).not.toContain(SECRET)
      })

      it('takes its conversation up again, and messages', async () => {
        const { name, marker } = await world.stays()
        await world.close(name)
        await world.state(name, 'failed')
        const asked = world.model.seen.length
        await world.tree.call('resume', { agent: name })
        await world.state(name, 'idle')
        const word = await world.send(name, [{ say: 'Still here.' }])
        await world.model.sees(word)
        const texts = world.model.seen.slice(asked).map(({ conversation }) => conversation.entries)
        expect(JSON.stringify(texts)).toContain(marker)
        await world.delivered(name)
        await world.state(name, 'idle')
      })
    },
  )
}
