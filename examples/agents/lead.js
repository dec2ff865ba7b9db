import { CutOff, ToolError } from './kit/client.js'
import { findings } from './kit/diff.js'
import { live } from './kit/live.js'
import { orderIn, promptFor } from './kit/order.js'
import { createOwnPull } from './kit/own-pull.js'

// A tech lead: gives its children their orders, answers them, reads and merges their pull requests,
// then files its own. Run as `node lead.js PROMPT_FILE MATERIALS`. Messages wake it; what is to be
// done it reads off the pull requests.

/**
 * Times that a review is tried whose answer was lost, and a merge is looked for in the worktree.
 */
const MOST_REVIEWS = 20
const MOST_PULLS = 60

await live((agent) => {
  const { transcript } = agent
  let order, workshop, own
  let finished = false
  const spawned = new Set()
  const merged = new Set()
  /** Heads that were looked at, with the number of findings. */
  const reviewed = new Map()

  const done = (names = []) => names.every((name) => merged.has(name))

  /**
   * Those of the children that are there or were, whatever came of the call that was to make them,
   * in this life or an earlier one.
   */
  async function existing() {
    const { root } = await agent.look('tree', {})
    const { pull_requests: pulls } = await agent.look('pr_list', { state: 'all' })
    const names = order.children
      .map(({ name }) => name)
      .filter((name) => pulls.some((pull) => pull.head_branch === `${agent.branch}.${name}`))
    const collect = (node) => {
      if (node.branch === agent.branch) names.push(...node.children.map(({ name }) => name))
      for (const child of node.children) collect(child)
    }
    collect(root)
    return names
  }

  async function spawn() {
    try {
      await spawnNext()
    } catch (error) {
      if (!(error instanceof CutOff)) throw error
      transcript.say('cut off while spawning; looking at what is there')
      spawned.clear()
      for (const name of await existing()) spawned.add(name)
      await spawn()
    }
  }

  async function spawnNext() {
    const next = order.children.filter(({ name, after }) => !spawned.has(name) && done(after))
    for (const child of next) spawned.add(child.name)
    const place = { folder: order.folder, materials: order.materials }
    for (const child of next.filter(({ kind }) => kind === 'subtree')) {
      const made = await agent.tool(
        'spawn_subtree',
        { branch_name: child.name, task: promptFor({ ...child, ...place }) },
        child.name,
      )
      transcript.good(`${made.name} on ${made.branch}`)
    }
    const workers = next.filter(({ kind }) => kind === 'worker')
    if (workers.length === 0) return
    const specs = workers.map((child) => ({
      name: child.name,
      prompt: promptFor({ ...child, ...place }),
    }))
    const { spawned: made, errors } = await agent.tool(
      'spawn_workers',
      { specs },
      workers.map(({ name }) => name).join(', '),
    )
    for (const { name, branch } of made) transcript.good(`${name} on ${branch}`)
    if (errors.length > 0)
      throw new Error(errors.map(({ name, error }) => `${name}: ${error}`).join('; '))
  }

  async function answer({ text, question }) {
    const name = /^\[QUESTION\] (\S+)/.exec(text)?.[1]
    const say =
      order.answers.find(({ when }) => text.includes(when))?.say ??
      'Decide yourself; note what you chose and why.'
    await agent
      .tool(
        'answer_question',
        { agent: name, message: say, question_id: question },
        `${name}: ${say}`,
      )
      .catch((error) => {
        if (error.code !== 'NO_PENDING_QUESTION') throw error
        transcript.say('answered already')
      })
  }

  /** Says it once: where it isn't known whether it was said, the pull request shows it. */
  async function review(input) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await agent.tool('pr_review', input, `#${input.pr_number} ${input.verdict}`)
      } catch (error) {
        const unsure = error instanceof CutOff || error.code === 'FORGE_UNAVAILABLE'
        if (!unsure || attempt === MOST_REVIEWS) throw error
        transcript.say(`did the review arrive? ${error.message}`)
        const { reviews } = await agent.tool(
          'pr_show',
          { pr_number: input.pr_number },
          `#${input.pr_number}`,
        )
        if (reviews.some(({ author, stale }) => author === agent.name && !stale)) return
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }

  /**
   * Reads a pull request by the rules, once per head. Returns whether there is nothing to object
   * to.
   */
  async function passesReview(pull) {
    if (!reviewed.has(pull.head_sha)) {
      const { diff, head_sha: head } = await agent.tool(
        'pr_diff',
        { pr_number: pull.number },
        `#${pull.number}`,
      )
      const comments = findings(diff, order.review)
      const verdict = comments.length === 0 ? 'approve' : 'request_changes'
      const body =
        comments.length === 0 ? 'Reads well, checks pass.' : 'Nearly there. Please fix these lines.'
      for (const { path, line, body: words } of comments) transcript.say(`${path}:${line} ${words}`)
      await review({ pr_number: pull.number, head_sha: head, verdict, body, comments })
      reviewed.set(head, comments.length)
      if (head !== pull.head_sha) return false
    }
    return reviewed.get(pull.head_sha) === 0
  }

  async function merge(pull, child) {
    // Its result is waited for: what comes next builds on it.
    const result = await agent.tool(
      'merge_pr',
      { pr_number: pull.number, head_sha: pull.head_sha, wait: true },
      `#${pull.number} ${child.title}`,
    )
    // Asked for before: it lands by itself, and a message says so.
    if (!result.merged) return
    merged.add(child.name)
    transcript.good(
      `merged as ${result.sha.slice(0, 10)}${result.local_synced ? '' : `; not in my worktree: ${result.pull_error}`}`,
    )
    if (!result.local_synced) await bringIn(result.sha)
  }

  /**
   * A merge that was made while nobody could say so, or whose result was lost: the work is to be
   * here all the same.
   */
  async function adopt(pull, child) {
    const { merge_sha: sha } = await agent.tool(
      'pr_show',
      { pr_number: pull.number },
      `#${pull.number} is merged`,
    )
    if (sha !== null) await bringIn(sha)
    merged.add(child.name)
  }

  async function bringIn(sha) {
    const here = async () =>
      (await workshop.tryGit('merge-base', '--is-ancestor', sha, 'HEAD')).code === 0
    let said = ''
    // exomonad's own repository, where it has one; else where the forge is.
    const remote = (await workshop.git('remote')).split('\n').includes('exomonad')
      ? 'exomonad'
      : 'origin'
    for (let attempt = 1; attempt <= MOST_PULLS; attempt++) {
      // The daemon does the same; whoever is first.
      if (await here()) return
      said = (await workshop.tryGit('pull', '--quiet', '--ff-only', remote, agent.branch)).output
      if (await here()) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    throw new Error(`the merge ${sha.slice(0, 10)} did not reach my worktree: ${said.trim()}`)
  }

  /** Looks at what is open and does what can be done, until nothing can. */
  async function advance() {
    let again = true
    while (again) {
      again = false
      const { pull_requests: pulls } = await agent.look('pr_list', { state: 'all' })
      for (const child of order.children) {
        const pull = pulls.findLast(
          ({ head_branch: head }) => head === `${agent.branch}.${child.name}`,
        )
        if (!pull || merged.has(child.name) || !done(child.merge_after)) continue
        try {
          if (pull.state === 'merged') {
            await adopt(pull, child)
            again = true
            continue
          }
          // Whether an unknown one can be merged, the merge itself says.
          if (
            pull.state !== 'open' ||
            pull.draft ||
            pull.checks !== 'passed' ||
            pull.mergeable === 'conflicting'
          )
            continue
          if (!(await passesReview(pull))) continue
          await merge(pull, child)
          again = true
        } catch (error) {
          // It moved while it was looked at: a message will say so.
          if (!(error instanceof ToolError)) throw error
          transcript.say(`#${pull.number} not yet: ${error.message}`)
          if (!error.facts.reasons?.some((reason) => /\bmerged$/.test(reason))) continue
          await adopt(pull, child)
          again = true
        }
      }
    }
    await spawn()
    if (!finished && done(order.children.map(({ name }) => name))) await finish()
  }

  async function finish() {
    finished = true
    if (!(await workshop.test(order.tests))) throw new Error('the tests fail after all merges')
    if (agent.parent !== null)
      return own.file(
        `${order.task}\n\nMerged: ${order.children.map(({ title }) => title).join('; ')}.`,
      )
    await agent.tool('note', {
      message: `Finished: ${order.title}. ${order.children.length} pull requests merged, all tests pass.`,
    })
  }

  return {
    async begin(prompt) {
      order = orderIn(prompt)
      workshop = agent.workshop(order.folder)
      own = createOwnPull({ agent, order, workshop })
      transcript.say(order.task)
      for (const name of await existing()) spawned.add(name)
      await spawn()
    },
    async receive(item) {
      const { tag, text } = item
      if (tag === 'QUESTION') await answer(item)
      else if (tag === 'MAIL') await own.readMail()
      else if (tag === 'MERGED' && text.includes(`${agent.branch} →`)) await own.report()
      else if (tag === 'CHILD FAILED' || tag === 'STOPPED') throw new Error(text.split('\n')[0])
      else if (tag === 'CI FAILED' && text.includes('your pull request'))
        throw new Error(text.split('\n')[0])
    },
    async objected({ objection }) {
      if (await own.resolved()) return
      if (finished && (objection === 'no_pull_request' || objection === 'changes_requested'))
        await own.file(order.task)
    },
    settle: advance,
  }
})
