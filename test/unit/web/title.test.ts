import { expect, it } from 'vitest'
import { agentOf, titleOf } from '../../../web/src/shell/title.ts'

const about = { needs: 0, repository: 'repo', agent: undefined }

it.each([
  ['/', 'repo · exomonad'],
  ['/inbox', 'Inbox · repo · exomonad'],
  ['/pulls', 'Reviews · repo · exomonad'],
  ['/pulls/12', '#12 · repo · exomonad'],
  ['/timeline', 'Timeline · repo · exomonad'],
  ['/nothing', 'repo · exomonad'],
])('a tab says what it shows: %s', (path, title) => {
  expect(titleOf({ ...about, path })).toBe(title)
})

it('says first how many items need the person, and the agent by what it is called', () => {
  const path = '/agents/01a2'
  expect(titleOf({ ...about, path, agent: 'auth', needs: 3 })).toBe('(3) auth · repo · exomonad')
  expect(titleOf({ ...about, path: '/', repository: undefined })).toBe('exomonad')
})

it.each([
  ['/agents/main.a%2Fb', 'main.a/b'],
  ['/agents/100%', '100%'],
  ['/agents/%E0%A4%A', '%E0%A4%A'],
  ['/inbox', undefined],
])('an agent stands in its address as it is, whatever it is: %s', (path, agent) => {
  expect(agentOf(path)).toBe(agent)
})
