import { afterAll, beforeAll, it, onTestFinished } from 'vitest'
import { openConsole, type Console } from '../../helpers/console.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { startShowing, type Showing } from '../../helpers/terminals/showing.ts'

/** Going round among 200 agents. */
describeWith(['tmux'], 'the console among 200 agents', () => {
  let showing: Showing
  const open = async (agent: string): Promise<Console> => {
    const opened = await openConsole(showing.tree, { columns: 80, rows: 24, args: [agent] })
    onTestFinished(() => opened.close())
    return opened
  }
  const atRoot = (text: string): boolean => /^main .* 1\/201/.test(text)
  const nameOf = (number: number): string => `agent-${String(number).padStart(3, '0')}`

  beforeAll(async () => {
    showing = await startShowing({ config: '[limits]\nmax_live_agents = 250' })
    const client = showing.tree.client()
    const numbers = Array.from({ length: 198 }, (_, index) => index + 1)
    const next = async (): Promise<void> => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        await client.callTool('fork', {
          name: nameOf(number),
          prompt: 'Show what you have.',
          context: 'fresh',
        })
      }
    }
    await Promise.all(Array.from({ length: 8 }, next))
    await showing.fork('grandchild-a', { as: nameOf(100) })
    await showing.fork('grandchild-b', { as: nameOf(100) })
  }, 300_000)
  afterAll(async () => {
    await showing?.stop()
  })

  it('goes to the previous, the next, the parent, the first child, and round the end', async () => {
    const screen = await open(nameOf(100))
    const views = async (name: string): Promise<void> =>
      void (await screen.until(
        `a view of ${name}`,
        (text) => text.includes(`${name} is here`) && text.split('\n')[0]?.includes(name) === true,
      ))
    await views(nameOf(100))
    await screen.key('M-Down')
    await views('grandchild-a')
    await screen.key('M-Right')
    await views('grandchild-b')
    await screen.key('M-Left')
    await views('grandchild-a')
    await screen.key('M-Up')
    await views(nameOf(100))
    await screen.line('/child')
    await views('grandchild-a')
    await screen.line('/parent')
    await views(nameOf(100))
    await screen.key('M-Up')
    await screen.until('the root', atRoot)
    await screen.line('/previous')
    await screen.until(
      'the last of them',
      (text) =>
        / is here/.test(text) && text.split('\n').slice(0, 2).join('\n').includes(' 201/201'),
    )
    await screen.line('/next')
    await screen.until('the root again', atRoot)
  })

  it('goes by name, which Tab completes', async () => {
    const screen = await open('root')
    // Before it knows them it has nothing to complete.
    await screen.until('all of them to be known', atRoot)
    await screen.type('/go agent-04')
    await screen.key('Tab')
    await screen.until(
      'what there is',
      (text) => text.includes('agent-041  ') && text.includes('agent-042  '),
    )
    await screen.type('2')
    await screen.key('Tab', 'Enter')
    await screen.until('that agent', (text) => text.includes('agent-042 is here'))
    await screen.type('/go gr')
    await screen.key('Tab')
    await screen.until('their common beginning', (text) => text.includes('/go grandchild-'))
    await screen.type('b')
    await screen.key('Enter')
    await screen.until('that agent', (text) => text.includes('grandchild-b is here'))
    await screen.line('/go nobody')
    await screen.until('that there is none', (text) => /no agent|nobody/i.test(text))
    await screen.until('the same view', (text) => text.includes('grandchild-b is here'))
  })

  it('shows all of them as a tree', async () => {
    const screen = await open('root')
    await screen.line('/tree')
    await screen.until('the tree', (text) => text.includes('root') && text.includes(nameOf(5)))
    await screen.key('Escape')
    await screen.until('the root', (text) => !text.includes(nameOf(5)))
  })
})
