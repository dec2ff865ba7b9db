import { describe, expect, it } from 'vitest'
import type { GiteaClient } from '../../../../../src/adapters/forge/gitea/client.ts'
import { createWriters } from '../../../../../src/adapters/forge/gitea/write-access.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

/**
 * Who may write to a repository on Gitea, by what it answers. Routes without an answer are those
 * that this token may not ask.
 */
function start(assignees: string[], answers: Record<string, unknown> = {}) {
  const state = { now: 0, away: false, asked: [] as string[] }
  const ask = (route: string): unknown => {
    if (state.away) throw new ExomonadError('FORGE_UNAVAILABLE', 'away')
    const path = route.replace('GET ', '').replace('/repos/{owner}/{repo}/', '')
    state.asked.push(path)
    return path === 'assignees'
      ? assignees.map((login) => ({ login }))
      : (answers[path] ?? (path === 'teams' ? 405 : 403))
  }
  const client: Pick<GiteaClient, 'rest' | 'pages'> = {
    async rest(route, { accept = [] } = {}) {
      const answer = ask(route)
      if (typeof answer !== 'number') return { status: 200, data: answer as never, total: null }
      if (!accept.includes(answer)) throw new ExomonadError('FORGE_DENIED', String(answer))
      return { status: answer, data: null as never, total: null }
    },
    pages: async (route) => ask(route) as never,
  }
  const lacks: string[] = []
  const writers = createWriters({
    ...{ client, clock: () => state.now, log: silentLog() },
    reportLack: async ({ key }) => void lacks.push(key),
  })
  return { state, writers, lacks }
}
const team = (id: number, code: string, permission = 'none') => ({
  id,
  permission,
  units_map: { 'repo.code': code, 'repo.pulls': 'read' },
})

describe('who may write on Gitea (20.21)', () => {
  it('is to whom issues may be assigned where nobody has rights through a team, asked for once in ten minutes', async () => {
    const { state, writers } = start(['Ann'])
    expect(await writers(['ann', 'Ann', 'eve'])).toEqual(new Set(['ann']))
    await writers(['ann', 'eve'])
    expect(state.asked).toEqual(['assignees', 'collaborators/ann/permission', 'teams'])
    state.now = 10 * 60 * 1000
    await writers(['ann'])
    expect(state.asked).toHaveLength(6)
  })

  it('is as it was known while Gitea is away, and unknown before', async () => {
    const { state, writers } = start(['ann', 'bob'])
    await writers(['ann'])
    state.away = true
    state.now = 60 * 60 * 1000
    for (let look = 0; look < 2; look++) expect(await writers(['ann'])).toEqual(new Set(['ann']))
    await expect(writers(['bob'])).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
  })

  it('is a member of a team that may write, where others may only read', async () => {
    const { writers } = start(['ann', 'bob', 'eve', 'joe', 'own'], {
      'collaborators/ann/permission': { permission: 'write' },
      'collaborators/bob/permission': { permission: 'read' },
      'collaborators/eve/permission': { permission: 'read' },
      'collaborators/joe/permission': 404,
      'collaborators/own/permission': { permission: 'owner' },
      teams: [team(1, 'read'), team(2, 'write')],
      '/teams/2/members/bob': { login: 'bob' },
      '/teams/2/members/eve': 404,
      '/teams/2/members/joe': 404,
    })
    expect(await writers(['ann', 'bob', 'eve', 'joe', 'own', 'ghost'])).toEqual(
      new Set(['ann', 'bob', 'own']),
    )
  })

  it('is every member where all teams may write', async () => {
    const { state, writers } = start(['ann'], {
      teams: [team(1, 'write'), team(2, 'none', 'admin'), team(3, 'owner', 'owner')],
    })
    expect(await writers(['ann'])).toEqual(new Set(['ann']))
    expect(state.asked.filter((path) => path.startsWith('/teams'))).toEqual([])
  })

  it('is nobody through a team where the token may not ask for its members', async () => {
    const { writers, lacks } = start(['ann', 'bob', 'eve'], {
      teams: [team(1, 'read'), team(2, 'write')],
      'collaborators/bob/permission': { permission: 'admin' },
    })
    expect(await writers(['ann', 'bob', 'eve'])).toEqual(new Set(['bob']))
    expect(lacks).toEqual(['team-access'])
  })
})
