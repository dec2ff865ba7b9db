import { afterEach, describe, expect, test } from 'vitest'
import { createSchemaCheck } from '../../fixtures/github/schemas/validate.ts'
import { githubForTest } from '../../helpers/github/fake-github.ts'

/**
 * Issues of the fake GitHub (20.20): every answer over REST is held to GitHub’s own description of
 * its API, every query to its schema.
 */
const { answered, violations, checked } = createSchemaCheck()
afterEach(() => expect(violations.splice(0)).toEqual([]))

const ISSUE = `query Issue($number: Int!) { repository(owner: "octo", name: "widgets") { issueOrPullRequest(number: $number) {
  __typename
  ... on Issue {
    number title body state lastEditedAt author { login } editor { login } authorAssociation labels(first: 10) { nodes { name } }
    comments(first: 10) { nodes { body issue { number } } }
    timelineItems(last: 10, itemTypes: [LABELED_EVENT, RENAMED_TITLE_EVENT]) {
      nodes { __typename ... on LabeledEvent { actor { login } label { name } } ... on RenamedTitleEvent { actor { login } previousTitle } }
    }
  }
} } }`

describe('issues (20.20)', () => {
  test('have numbers of one row with pull requests, are listed by label and state, and cost nothing where nothing changed', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const first = fake.as('octo').openIssue({ title: 'Broken', body: 'It does not start.' })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    expect(number).toBe(first + 1)
    fake.as('octo').label(first, 'Agent')
    fake.as('octo').label(number, 'agent')
    const listed = await api('GET', '/issues?labels=agent&direction=asc')
    expect(
      listed.body.map((issue: any) => [issue.number, issue.pull_request !== undefined]),
    ).toEqual([
      [first, false],
      [number, true],
    ])
    const again = await api('GET', '/issues?labels=agent&direction=asc', undefined, {
      headers: { 'if-none-match': listed.headers.get('etag')! },
    })
    expect(again.status).toBe(304)
    fake.as('octo').editIssue(first, { state: 'closed' })
    expect(
      (await api('GET', '/issues?labels=agent')).body.map((issue: any) => issue.number),
    ).toEqual([number])
    expect((await api('GET', `/issues/${first}`)).body).toMatchObject({
      state: 'closed',
      state_reason: 'completed',
      labels: [{ name: 'Agent' }],
    })
    expect((await api('GET', '/issues/99')).status).toBe(404)
  })

  test('labels are set by those who may write, and in an issue form’s name by anybody', async () => {
    const { fake } = await githubForTest({ answered })
    fake.addUser('mallory', 'none')
    const number = fake.as('mallory').openIssue({ title: 'Please', labels: ['agent'] })
    expect(() => fake.as('mallory').label(number, 'urgent')).toThrow(/admin rights/)
    expect(() =>
      fake.as('mallory').editIssue(fake.as('octo').openIssue({ title: 'Ours' }), { title: 'Mine' }),
    ).toThrow(/admin rights/)
    fake.as('octo').label(number, 'urgent')
    expect(fake.state.timeline.map(({ actor, what }) => [actor, what])).toEqual([
      ['mallory', 'agent'],
      ['octo', 'urgent'],
    ])
  })

  test('comments below issues and pull requests are written, changed and taken away', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const issue = fake.as('octo').openIssue({ title: 'Broken' })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    for (const below of [issue, number]) {
      const { body } = await api('POST', `/issues/${below}/comments`, { body: 'One' })
      expect(
        (await api('PATCH', `/issues/comments/${body.id}`, { body: 'Two' })).body,
      ).toMatchObject({ id: body.id, body: 'Two' })
      expect((await api('GET', `/issues/comments/${body.id}`)).body.html_url).toContain(
        `/${below === issue ? 'issues' : 'pull'}/${below}#issuecomment-`,
      )
      expect((await api('GET', `/issues/${below}/comments`)).body).toMatchObject([
        { body: 'Two', user: { login: 'robot' } },
      ])
      expect((await api('DELETE', `/issues/comments/${body.id}`)).status).toBe(204)
      expect((await api('PATCH', `/issues/comments/${body.id}`, { body: 'Three' })).status).toBe(
        404,
      )
    }
    expect(
      [...checked].filter((route) => route.includes('/issues/comments')).length,
    ).toBeGreaterThanOrEqual(2)
  })

  test('GraphQL says who edited, renamed and labelled them', async () => {
    const { fake } = await githubForTest({ answered })
    const number = fake.as('octo').openIssue({ title: 'Broken', body: 'It does not start.' })
    fake.as('octo').label(number, 'agent')
    fake.as('robot').editIssue(number, { title: 'Does not start', body: 'Since yesterday.' })
    await fake.as('octo').comment(number, 'On Linux.')
    const { data } = await fetch(fake.graphqlUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.token}` },
      body: JSON.stringify({ query: ISSUE, variables: { number } }),
    }).then((response) => response.json() as Promise<any>)
    expect(data.repository.issueOrPullRequest).toMatchObject({
      __typename: 'Issue',
      title: 'Does not start',
      lastEditedAt: expect.stringMatching(/Z$/),
      editor: { login: 'robot' },
      labels: { nodes: [{ name: 'agent' }] },
      comments: { nodes: [{ body: 'On Linux.', issue: { number } }] },
      timelineItems: {
        nodes: [
          { __typename: 'LabeledEvent', actor: { login: 'octo' }, label: { name: 'agent' } },
          { __typename: 'RenamedTitleEvent', actor: { login: 'robot' }, previousTitle: 'Broken' },
        ],
      },
    })
  })
})
