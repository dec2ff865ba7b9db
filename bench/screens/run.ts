import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { openScreens } from './terminal.ts'
import { tellStory } from './story.ts'
import { page } from './page.ts'

/**
 * `npm run bench:screens`: writes docs/attention.md, what a person sees after an hour of 20 agents,
 * from a real terminal. Needs tmux; takes two minutes.
 */
const COMMANDS = [
  'exomonad status --short',
  'exomonad inbox',
  'exomonad next',
  'exomonad tree',
  'exomonad tree --needs-me',
  'exomonad log --since 2h',
]

const story = await tellStory()
try {
  const screens = await openScreens(story)
  try {
    const shots = []
    for (const command of COMMANDS)
      shots.push({ command, ...(await screens.shot(command, command.includes(' log '))) })
    const target = join(import.meta.dirname, '..', '..', 'docs', 'attention.md')
    writeFileSync(target, page(story.tree, shots))
    process.stderr.write(`${target} is written\n`)
  } finally {
    await screens.close()
  }
} finally {
  await story.end()
}
