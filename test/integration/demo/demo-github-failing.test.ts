import { it } from 'vitest'
import { demoEndsWell, LIMIT } from '../../helpers/github/github-demo.ts'

it(
  'the demo on a GitHub comes to the same end, with each event once, where every hundredth call fails',
  async () => {
    await demoEndsWell(['--fail', '1', '--seed', '7'], async () => {})
  },
  LIMIT,
)
