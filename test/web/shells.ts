import { startExomonad } from '../helpers/daemon.ts'
import { test as base, type Exomonad } from './fixtures.ts'

/** An agent that is a shell: what is typed is run. */
export const SHELL = String.raw`
[agents.shell]
adapter = "command"
command = ["/bin/sh", "-c", "printf 'shell \\033[31mready\\033[0m\\n'; exec env PS1='ready$ ' sh"]
`

/** One daemon with a shell for all of these. */
export const test = base.extend<object, { shells: Exomonad }>({
  shells: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const tree = await startExomonad({
        multiplexer: 'tmux',
        roles: { dev: 'shell' },
        config: SHELL,
      })
      await tree.call('spawn_workers', { specs: [{ name: 'shell', prompt: 'Be a shell' }] })
      await use(tree)
      await tree.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
