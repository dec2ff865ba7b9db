import { readFileSync } from 'node:fs'
import { createClient } from '../../../src/index.ts'

/** What src/index.ts and docs/library.md show of the client, between the two marks below. */
export async function clientExample(socket: string, token: string): Promise<void> {
  // <example>
  const client = createClient({ socket, token })
  const { spawned } = await client.call('spawn_workers', {
    specs: [{ name: 'auth', prompt: 'Add a login page.' }],
  })
  for (const { name, branch } of spawned) console.log(`${name} works on ${branch}`)
  for await (const event of client.events({ follow: true })) console.log(event.type)
  // </example>
}

const own = readFileSync(import.meta.filename, 'utf8')

export const CLIENT_EXAMPLE = (
  /\/\/ <example>\n([\s\S]*?) *\/\/ <\/example>/.exec(own)?.[1] ?? ''
).replaceAll(/^ {2}/gm, '')
