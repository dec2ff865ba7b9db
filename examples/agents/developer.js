import { agree } from './kit/agree.js'
import { CutOff } from './kit/client.js'
import { live } from './kit/live.js'
import { lineComments } from './kit/message.js'
import { orderIn } from './kit/order.js'
import { createOwnPull } from './kit/own-pull.js'
import { rebasing } from './kit/rebase.js'

// A worker: does what its order says, asks what the order leaves open, fixes what checks and
// reviewers find. Run as `node developer.js PROMPT_FILE MATERIALS`, in its worktree, by the
// `command` adapter.

await live((agent) => {
  const { transcript } = agent
  let order, workshop, own

  async function work(steps, subject) {
    workshop.apply(steps)
    if (!(await workshop.test(order.tests)))
      throw new Error(`${order.tests.join(', ')} fail after the change`)
    await workshop.commit(subject)
  }

  /** Asks the parent; the answer decides which of the ways is gone. */
  async function ask() {
    const { status, answer } = await agent
      .tool('question', { message: order.question }, `"${order.question}"`)
      .catch((error) => {
        // The question stands, whoever waits for it.
        if (error instanceof CutOff) return { status: 'pending' }
        throw error
      })
    if (status !== 'answered') return transcript.say('no answer yet; it will come as a message')
    transcript.say(`answer: ${answer}`)
    await decide(answer)
  }

  async function decide(answer) {
    const way = order.on_answer.find(({ when }) => answer.toLowerCase().includes(when))
    if (!way) throw new Error(`the answer fits none of my ways: ${answer}`)
    order.question = undefined
    await work([...way.work, ...order.work], order.title)
    await own.file(`${order.task}\n\nAsked and answered: ${answer}`)
  }

  /** Does what the comments on lines say, and returns whether there was anything left to do. */
  async function review(text) {
    const points = lineComments(text)
    for (const { path, line, comment } of points) {
      const file = order.folder === '' ? path : path.slice(order.folder.length + 1)
      const fix = order.on_comment?.find(({ when }) => comment.includes(when))
      if (!fix) throw new Error(`no way to answer the comment on ${path}:${line}`)
      const lines = workshop.read(file).split('\n')
      const at = lines[line - 1] ?? ''
      if (!at.includes(fix.find)) continue
      lines[line - 1] = at.replace(fix.find, () => fix.put)
      workshop.save(file, lines.join('\n'))
    }
    if (!(await workshop.changed())) return false
    if (!(await workshop.test(order.tests)))
      throw new Error('the tests fail after the review’s changes')
    await workshop.commit(`Take up the review of ${order.name}`)
    // The stop check rebases and pushes where the base moved; where it did not, it asks again, and
    // is given the push.
    return true
  }

  async function failure(text) {
    const fix = order.on_failure?.find(({ when }) => text.includes(when))
    if (!fix)
      throw new Error(`checks fail, and nothing I know of explains it: ${text.slice(0, 200)}`)
    if (await workshop.test([fix.when])) return transcript.say('passes here: fixed already')
    transcript.say(fix.say)
    await work(fix.work, fix.commit)
    await own.file(`${order.task}\n\n${fix.say}`)
  }

  return {
    async begin(prompt) {
      order = orderIn(prompt)
      workshop = agent.workshop(order.folder)
      own = createOwnPull({ agent, order, workshop })
      transcript.say(order.task)
      if ((await rebasing(workshop, agent.worktree)) || (await workshop.did(order.title))) {
        // Started again: what is missing yet, the stop check says.
        order.question = undefined
        return transcript.say('done before I was stopped')
      }
      await workshop.test(order.tests)
      if (order.shares) await agree({ agent, shares: order.shares, workshop })
      if (order.question) return ask()
      await work(order.work, order.title)
      await own.file(order.task)
    },
    async receive({ tag, text }) {
      if (tag === 'ANSWER' && order.question) await decide(text)
      else if (tag === 'REVIEW' && text.includes('requests changes')) await review(text)
      else if (tag === 'CI FAILED') await failure(text)
      else if (tag === 'MERGED') await own.report()
      else if (tag === 'MAIL') await own.readMail()
    },
    async objected({ objection, reason }) {
      if (await own.resolved()) return
      if (objection === 'uncommitted') await workshop.commit(`Finish: ${order.title}`)
      // The review may be named here before its message arrives.
      else if (objection === 'changes_requested' && (await review(reason))) return
      else if (objection === 'no_pull_request' || objection === 'changes_requested')
        await own.file(order.task)
    },
    async settle() {},
  }
})
