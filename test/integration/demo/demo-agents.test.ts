import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const examples = join(import.meta.dirname, '..', '..', '..', 'examples')
const program = (name: string): string =>
  `[agents.${name}]\nadapter = "command"\ncommand = ["{{node}}", ${JSON.stringify(join(examples, 'agents', `${name}.js`))}, "{{prompt_file}}", "/nowhere"]\nacks = true\nreports_state = true\n`

it('the demo’s agents go on after resume with what they had done, and do nothing twice', async () => {
  const { promptFor } = await import(join(examples, 'agents', 'kit', 'order.js'))
  const tree = await startExomonad({
    files: { 'one.txt': 'a\n', 'two.txt': 'a\n' },
    roles: { tl: 'lead', dev: 'developer' },
    config: program('lead') + program('developer'),
  })
  onTestFinished(() => tree.stop())
  const common = { folder: '', tests: [], review: [], answers: [] }
  const child = (name: string) => ({
    ...common,
    ...{ name, kind: 'worker', title: `Change ${name}`, task: 'Change it.' },
    work: [{ edit: `${name}.txt`, find: 'a\n', put: 'b\n' }],
  })
  const order = {
    ...common,
    name: 'lead',
    title: 'Lead',
    task: 'Have both changed.',
    children: [child('one'), child('two')],
  }
  await tree.call('spawn_subtree', { branch_name: 'lead', task: promptFor(order) })
  const names = ['lead', 'one', 'two']
  const rest = () =>
    waitFor('all to rest, with both filed', async () => {
      const agents = await Promise.all(names.map((name) => tree.agent(name)))
      return (
        agents.every((agent) => agent?.state === 'idle' && agent.pid !== null) &&
        agents.slice(1).every((agent) => agent.pr?.state === 'open')
      )
    })
  await rest()
  expect((await tree.command(['down'])).code).toBe(0)
  expect((await tree.command(['resume', '--all', '--json'])).json).toMatchObject({
    resumed: expect.arrayContaining(names.map((name) => expect.objectContaining({ name }))),
    errors: [],
  })
  await rest()
  // Of their second lives as well.
  for (const name of names) {
    const screens = async () => (await tree.call('screen', { agent: name, lines: 200 })).text
    await waitFor(`${name} to have begun again`, async () =>
      /children|before I was stopped|Have both changed/.test(await screens()),
    )
    expect(await screens(), name).not.toContain('Stuck')
  }
  for (const name of ['one', 'two'])
    expect(await tree.repository.git('rev-list', '--count', `main..main.lead.${name}`), name).toBe(
      '1',
    )
  const { pull_requests: pulls } = await tree.call('pr_list', { state: 'all' })
  expect(pulls).toHaveLength(2)
  expect(
    (await tree.events())
      .filter(({ type }) => type === 'note')
      .map(({ payload }) => payload.message),
  ).toEqual([])
  expect((await tree.tree()).counts.agents).toBe(3)
})
