import { expect, it } from 'vitest'
import { crashAt, startAgain } from '../../helpers/crash-at.ts'
import { notesWith, RADAR_FILES, useRadarWorld } from '../../helpers/radar-world.ts'

const world = useRadarWorld()
const { between, pairs, said, spawn, write } = world
const ofType = (type: string): number => said().filter(({ kind }) => kind === type).length

it.each(['taken', 'foretell', 'record', 'foretold', 'clear'])(
  'after a kill -9 at “%s” of a look all are told once',
  async (step) => {
    if (world.id['one'] === undefined) await spawn('one', 'two')
    write('two', 'notes.txt', notesWith(0, 'TWO'))
    await pairs()
    const before = ofType('conflict.foretold')
    const conflict = (): void => write('one', 'notes.txt', notesWith(0, `ONE at ${step}`))
    if (step.startsWith('clear')) {
      conflict()
      await pairs()
    }
    const { dead } = await crashAt(world.tree, 'radar', step)
    if (step.startsWith('clear')) write('one', 'notes.txt', RADAR_FILES['notes.txt'])
    else conflict()
    // A look of its own may have come there before this one: nothing else is to start a daemon.
    await world.tree
      .client()
      .callTool('radar', {})
      .catch(() => {})
    await dead
    await startAgain(world.tree)
    const clean = { status: 'clean', files: [] }
    expect(await between('one', 'two')).toEqual(
      step.startsWith('clear') ? clean : { status: 'conflict', files: ['notes.txt'] },
    )
    // Each of the two, and the person, for whom their parent stands.
    expect(ofType('conflict.foretold')).toBe(before + 3)
    write('one', 'notes.txt', RADAR_FILES['notes.txt'])
    expect(await between('one', 'two')).toEqual(clean)
    expect(said().filter(({ state }) => state === 'queued')).toEqual([])
    const events = await world.tree.events()
    const count = (type: string) => events.filter((event) => event.type === type).length
    expect(count('conflict.cleared')).toBe(count('conflict.foretold'))
  },
)
