import { finishRebase, rebasing } from './rebase.js'

/**
 * What every agent with a branch of its own does for it: file, resolve conflicts, report the end.
 */
export function createOwnPull({ agent, order, workshop }) {
  const { transcript, worktree } = agent
  let reported = false

  return {
    async file(body) {
      const filed = await agent.tool('file_pr', { title: order.title, body }, `"${order.title}"`)
      transcript.good(
        `#${filed.pr_number} ${filed.head_branch} → ${filed.base_branch}${filed.created ? '' : ' (updated)'}`,
      )
    },
    /** True where a rebase was under way; it is finished then, and the tests pass on top of it. */
    async resolved() {
      if (!(await rebasing(workshop, worktree))) return false
      await finishRebase({
        workshop,
        worktree,
        folder: order.folder,
        rules: order.on_conflict ?? {},
        transcript,
      })
      if (!(await workshop.test(order.tests))) throw new Error('the tests fail after the rebase')
      return true
    },
    async report() {
      if (reported || agent.parent === null) return
      reported = true
      const message = JSON.stringify({
        status: 'idle',
        success: true,
        summary: `${order.title}: merged, tests pass.`,
      })
      await agent.tool('send', { to: agent.parent, message }, 'completion → parent')
    },
    async readMail() {
      const { messages } = await agent.tool('check_mail', {})
      for (const { name, message } of messages) transcript.say(`mail from ${name}: ${message}`)
    },
  }
}
