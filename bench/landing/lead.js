import { life } from './life.js'

// Merges what is reported to it as ready; of pull requests that its plan names it requests changes
// the first time.

await life((agent) => {
  const reviewed = new Set()

  const merge = async (number) => {
    try {
      const { state } = await agent.tool('merge_pr', { pr_number: number })
      agent.note('merge', { number, state })
    } catch (error) {
      agent.note('merge', { number, refused: error.code ?? error.message })
    }
  }

  return {
    begin: async () => {},
    objected: async ({ objection }) => {
      if (objection === 'no_pull_request')
        await agent.tool('file_pr', { title: 'All of it', body: 'Merged and checked.' })
    },
    receive: async ({ tag, number, text }) => {
      if (tag !== 'PR READY') return
      const { review = [] } = agent.plan()
      if (!review.some((title) => text.includes(`"${title}"`)) || reviewed.has(number))
        return merge(number)
      reviewed.add(number)
      await agent.tool('pr_review', {
        pr_number: number,
        verdict: 'request_changes',
        body: 'Say it better.',
      })
      agent.note('review', { number })
    },
  }
})
