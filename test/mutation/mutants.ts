/**
 * Lines that guard something, broken by hand, each with the test that must turn red: what a
 * mutation tool can't judge, because it takes a daemon, git or processes to show.
 * `npm run mutate:integration` (run.ts) tries them.
 */
export interface Mutant {
  /** What a user would lose. */
  readonly loses: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /**
   * The file of the test that must turn red, and a pattern of its name where the file takes long.
   */
  readonly test: string
  readonly name?: string
}

const AUTHORITY = 'test/integration/surfaces/authority.test.ts'
const STAYS = 'test/integration/agents/what-stays.test.ts'
const SETTINGS = 'test/integration/cli/settings-in-effect.test.ts'
const ENDING = 'test/unit/processes/ending-processes.test.ts'
const HELD = 'test/conformance/one-host.test.ts'
const EARLIER = 'test/conformance/earlier-hosts.test.ts'
const LOOK_UP = 'test/integration/git/look-up.test.ts'
const UPKEEP = 'test/unit/daemon/maintenance.test.ts'

export const MUTANTS: readonly Mutant[] = [
  // Who may do what.
  {
    loses: 'questions are answered by those above the asker',
    file: 'src/core/questions/questions.ts',
    find: "if (!own) requireBelow(agents, caller, asker, 'answer')",
    replace: '',
    test: AUTHORITY,
  },
  {
    loses: 'reviews are those of a pull request’s leads',
    file: 'src/core/pulls/review-pull.ts',
    find: "if (author !== undefined) requireAbove(agents, caller, author, pull, 'review the work of')",
    replace: '',
    test: AUTHORITY,
  },
  {
    loses: 'nobody approves their own work',
    file: 'src/core/pulls/review-pull.ts',
    find: 'if (author?.id === caller.agent.id) {\n      if (approves)',
    replace: 'if (author?.id === caller.agent.id) {\n      if (false)',
    test: AUTHORITY,
  },
  {
    loses: 'checks are run again by the pull request’s leads',
    file: 'src/core/pulls/pull-views.ts',
    find: "if (author !== undefined && author.id !== agent.id)\n      requireAbove(agents, caller, author, pull, 'run the checks again of')",
    replace: '',
    test: AUTHORITY,
  },
  {
    loses: 'only those above kill an agent',
    file: 'src/core/agents/end-agents.ts',
    find: "requireBelow(agents, caller, one, 'kill')",
    replace: '',
    test: AUTHORITY,
  },
  {
    loses: 'agents don’t force a merge',
    file: 'src/core/pulls/merge/rights.ts',
    find: "if (!force || caller.kind === 'human' || merge.agents_may_force) return",
    replace: 'if (caller !== null) return',
    test: AUTHORITY,
  },
  {
    loses: 'agents_may_force',
    file: 'src/core/pulls/merge/rights.ts',
    find: 'merge.agents_may_force',
    replace: 'false',
    test: SETTINGS,
    name: 'agents_may_force',
  },
  {
    loses: 'protected_branches',
    file: 'src/core/pulls/merge/rights.ts',
    find: 'if (config.protected_branches.includes(pull.base.branch)) {',
    replace: 'if (config.protected_branches.length < 0) {',
    test: AUTHORITY,
  },
  {
    loses: 'the token of an agent that ended opens nothing',
    file: 'src/surfaces/auth.ts',
    find: 'if (!isAlive(agent.state)) {',
    replace: "if (agent.state !== 'killed' && !isAlive(agent.state)) {",
    test: AUTHORITY,
  },
  {
    loses: 'agents see no events of others',
    file: 'src/surfaces/http/events-query.ts',
    find: 'known.set(agentId, answer)\n    return answer',
    replace: 'known.set(agentId, answer)\n    return true',
    test: AUTHORITY,
  },

  // What must stay.
  {
    loses: 'adopted worktrees',
    file: 'src/core/maintenance/keep-reason.ts',
    find: "if (agent.adopted) return 'it was there before the agent'",
    replace: '',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'the base of others',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'if (onIt !== undefined) return',
    replace: 'if (false) return',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'worktrees of open pull requests',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'return waiting === undefined ? null',
    replace: 'return true ? null',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'uncommitted files',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'if (dirty.length > 0)',
    replace: 'if (false)',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'a rebase in progress',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'if (operation !== null) return',
    replace: 'if (false) return',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'a worktree on another branch',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'if (status.branch !== branch) return',
    replace: 'if (false) return',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'unmerged commits',
    file: 'src/core/maintenance/keep-reason.ts',
    find: 'if (await git.isMerged(tip, base)) return null',
    replace: 'return null',
    test: STAYS,
    name: 'clean',
  },
  {
    loses: 'uncommitted changes at deinit',
    file: 'src/surfaces/cli/init/dismantle.ts',
    find: 'if (dirty.length > 0)\n',
    replace: 'if (dirty.length < 0)\n',
    test: STAYS,
    name: 'deinit',
  },
  {
    loses: 'a rebase in progress at deinit',
    file: 'src/surfaces/cli/init/dismantle.ts',
    find: 'if (operation !== null) return `a ${operation} is in progress`',
    replace: '',
    test: STAYS,
    name: 'deinit',
  },
  {
    loses: 'commits that only the forge’s own repository has',
    file: 'src/surfaces/cli/init/dismantle.ts',
    find: 'const unshared = await unsharedBranches(deps.host, paths)',
    replace: 'const unshared: string[] = (await unsharedBranches(deps.host, paths)).slice(0, 0)',
    test: STAYS,
    name: 'deinit',
  },
  {
    loses: 'work that was committed while the daemon was away',
    file: 'src/core/spawn/undo.ts',
    find: 'if (intent.makesBranch && tip !== null && tip !== intent.forkPoint) return true',
    replace: '',
    test: STAYS,
    name: 'had committed',
  },
  {
    loses: 'work that was written while the daemon was away',
    file: 'src/core/spawn/undo.ts',
    find: 'if (operation !== null || dirty.length > 0) return true',
    replace: 'if (operation !== null || dirty.length < 0) return true',
    test: STAYS,
    name: 'had written',
  },
  {
    loses: 'a worktree that can’t be looked at',
    file: 'src/core/spawn/undo.ts',
    find: 'return true // a program was started there',
    replace: 'return false // a program was started there',
    test: STAYS,
    name: 'looked at',
  },
  {
    loses: 'commits that were made after the head that was merged',
    file: 'src/core/pulls/merge/settle.ts',
    find: "if (local !== null && !(await git.isAncestor(local, head)))\n      return 'it has commits here that were not merged'",
    replace: '',
    test: STAYS,
    name: 'merged branch',
  },
  {
    loses: 'the base of a child that works on',
    file: 'src/core/pulls/merge/settle.ts',
    find: 'return child === undefined ? null : `${child.name} works on top of it`',
    replace: 'return null',
    test: STAYS,
    name: 'merged branch',
  },

  // Other people’s processes.
  {
    loses: 'whoever has a leader’s number by now',
    file: 'src/processes/end-processes.ts',
    find: 'return is !== null\n        ? is === first\n        :',
    replace: 'return is !== null ? true :',
    test: ENDING,
  },
  {
    loses: 'whoever has a session’s number by now',
    file: 'src/processes/end-processes.ts',
    find: 'alive.some(({ session, group }) => session === root || group === root)',
    replace: 'true',
    test: ENDING,
  },
  {
    loses: 'whoever has a group’s number by now',
    file: 'packages/subagents/src/processes/end-group.ts',
    find: 'const same = [...now].some((member) => known.has(member))',
    replace: 'const same = now.size > 0',
    test: ENDING,
  },
  {
    loses: 'whoever has a dead leader’s group by now',
    file: 'packages/subagents/src/processes/end-group.ts',
    find: 'record.group === leader && members.has(identityOf(record))',
    replace: 'record.group === leader',
    test: ENDING,
  },
  {
    loses: 'zombies are distinguished without /proc',
    file: 'packages/subagents/src/processes/list-processes.ts',
    find: "zombie: state.startsWith('Z'),",
    replace: 'zombie: false,',
    test: 'test/unit/packages/subagents/processes/list-processes.test.ts',
  },

  // The detached host.
  {
    loses: 'terminals are no business of the tasks beside them',
    file: 'src/processes/host/inherited.ts',
    find: 'if (!isNeeded() || !canBeFound(file, options)) return start',
    replace: 'if (file !== "") return start',
    test: HELD,
  },
  {
    loses: 'what a task that was not found is called beside a terminal',
    file: 'src/processes/host/inherited.ts',
    find: 'if (!isNeeded() || !canBeFound(file, options)) return start',
    replace: 'if (!isNeeded()) return start',
    test: HELD,
  },
  {
    loses: 'a task is asked to end, not hung up',
    file: 'src/adapters/terminals/detached/end-held.ts',
    find: "endPanes(others, { signal: 'SIGTERM', grace: KILL_GRACE })",
    replace: 'endPanes(others, { grace: KILL_GRACE })',
    test: HELD,
  },
  {
    loses: 'agents in the hosts of an earlier version',
    file: 'src/adapters/terminals/detached/earlier-hosts.ts',
    find: '.filter((names) => existsSync(hostFiles(names, stateDir).record))',
    replace: '.filter(() => false)',
    test: EARLIER,
  },
  {
    loses: 'an earlier host ends with the last that it holds',
    file: 'src/adapters/terminals/detached/earlier-hosts.ts',
    find: "await host.ask('shutdown', {}, { once: true }).catch(() => undefined)",
    replace: 'return true',
    test: EARLIER,
  },

  // Messages.
  {
    loses: 'messages that a stop check took too late',
    file: 'src/core/turns/stop-chain.ts',
    find: '// Messages that nobody would read stay where they are.\n    if (over()) return undefined',
    replace: '',
    test: 'test/unit/core/turns/stop-chain.test.ts',
  },
  {
    loses: 'mail to one that just ended',
    file: 'src/core/mail/mailbox.ts',
    find: "if (to.kind !== 'root') requireAlive((await tx.agents.get(to.id)) ?? to, 'send to')",
    replace: '',
    test: 'test/integration/turns/waiting.test.ts',
  },
  {
    loses: 'mail of whoever left as it came',
    file: 'src/core/mail/waiting.ts',
    find: 'if (signal.aborted) {\n        await receipt.giveBack()\n        throw gone()\n      }',
    replace: '',
    test: 'test/integration/turns/waiting.test.ts',
  },
  {
    loses: 'mail that never arrived, after a day',
    file: 'src/adapters/store/sql/verbs/mail.ts',
    find: ".where('confirmed', '=', sql.lit(1))",
    replace: '',
    test: 'test/conformance/store/sqlite.test.ts',
  },

  // What is reported, once.
  {
    loses: 'agent.silent',
    file: 'src/core/maintenance/silence.ts',
    find: 'if (quiet < limit) return',
    replace: 'if (quiet > 0) return',
    test: SETTINGS,
    name: 'silent_after',
  },
  {
    loses: 'agent.silent is reported once',
    file: 'src/core/maintenance/silence.ts',
    find: 'dedupe: String(since)',
    replace: 'dedupe: String(clock())',
    test: SETTINGS,
    name: 'silent_after',
  },
  {
    loses: 'agent.unsettled',
    file: 'src/core/maintenance/overdue-holds.ts',
    find: 'if (quiet < limit) continue',
    replace: 'if (quiet > 0) continue',
    test: 'test/integration/daemon/attention.test.ts',
    name: 'no hold outlasts',
  },
  {
    loses: 'base.moved is reported once',
    file: 'src/pull-watch/record.ts',
    find: 'if (before === base.sha) return\n    await tx.snapshots.put(key, { ...known, sha: base.sha })',
    replace: 'await tx.snapshots.put(key, { ...known, sha: base.sha })',
    test: 'test/integration/pull-watch/poller-crash.test.ts',
  },
  {
    loses: 'pull requests that were asked for during an outage',
    file: 'src/pull-watch/look.ts',
    find: 'if (!done) for (const number of owed) wanted.add(number)',
    replace: '',
    test: 'test/integration/pull-watch/forge-health.test.ts',
  },

  // Upkeep.
  {
    loses: 'terminals of spawns that were taken back are closed',
    file: 'src/core/maintenance/reconcile.ts',
    find: 'if (!(await isOfAnotherStore(pane))) await multiplexer.close(pane.paneId)',
    replace: 'if (!(await isOfAnotherStore(pane))) continue',
    test: 'test/integration/daemon/after-restart.test.ts',
    name: 'in no record',
  },
  {
    loses: 'old messages are removed',
    file: 'src/daemon/maintenance.ts',
    find: 'await store.outbox.prune(before)',
    replace: '',
    test: UPKEEP,
  },
  {
    loses: 'old events are removed, every hour',
    file: 'src/daemon/maintenance.ts',
    find: "repeat('retention', () => HOUR,",
    replace: "repeat('retention', () => DAY,",
    test: UPKEEP,
  },
  {
    loses: 'the output of what runs',
    file: 'src/daemon/prune-outputs.ts',
    find: "live.has(name.replace(ENDING, ''))",
    replace: 'false',
    test: UPKEEP,
  },
  {
    loses: 'retention.transcripts_mb',
    file: 'src/daemon/maintenance.ts',
    find: 'await pruneFolder(paths.transcripts, retention.transcripts_mb * 1_000_000)',
    replace: '',
    test: UPKEEP,
  },
  {
    loses: 'liveness.reconcile_every',
    file: 'src/daemon/maintenance.ts',
    find: "repeat('reconcile', () => config().liveness.reconcile_every * 1000,",
    replace: "repeat('reconcile', () => 30_000,",
    test: UPKEEP,
  },

  // Settings.
  {
    loses: 'ci_parallel',
    file: 'src/daemon/forge/check-options.ts',
    find: 'timeoutMs: timeout * 1000,\n        parallel,',
    replace: 'timeoutMs: timeout * 1000, parallel: 2 * parallel,',
    test: SETTINGS,
    name: 'ci_parallel',
  },
  {
    loses: 'ci_timeout',
    file: 'src/daemon/forge/check-options.ts',
    find: 'timeoutMs: timeout * 1000',
    replace: 'timeoutMs: timeout * 100_000',
    test: SETTINGS,
    name: 'ci_timeout',
  },
  {
    loses: 'rebase_tries',
    file: 'src/core/turns/stop-rebase.ts',
    find: 'if (tries <= stop.rebase_tries) {',
    replace: 'if (tries <= 3) {',
    test: SETTINGS,
    name: 'rebase_tries',
  },
  {
    loses: 'setup_timeout',
    file: 'src/core/spawn/provision/setup.ts',
    find: 'config.worktree.setup_timeout * 1000',
    replace: '600_000',
    test: SETTINGS,
    name: 'setup_timeout',
  },

  // Git without a process for each question.
  {
    loses: 'a remote that means another repository by now',
    file: 'src/adapters/git/own-remote.ts',
    find: "return url.exitCode === 0 && real(url.stdout.replace(/\\n$/, '')) === real(path)",
    replace: 'return url.exitCode === 0',
    test: LOOK_UP,
  },
  {
    loses: 'a repository that is gone is no empty one',
    file: 'src/adapters/git/own-remote.ts',
    find: "await access(join(path, 'HEAD'))",
    replace: '',
    test: LOOK_UP,
  },
  {
    loses: 'a changed configuration is read again',
    file: 'src/adapters/git/own-remote.ts',
    find: 'if (before?.version === version) return before.isOwn',
    replace: 'if (before !== undefined) return before.isOwn',
    test: LOOK_UP,
  },
  {
    loses: 'what is new on the remote is fetched',
    file: 'src/adapters/git/remotes.ts',
    find: 'there === undefined ||\n        there === null ||\n        there !==',
    replace: "there !== undefined && there !== null && '' ===",
    test: LOOK_UP,
  },
  {
    loses: 'branches of other names stay out',
    file: 'src/adapters/git/remotes.ts',
    find: '.filter(([branch]) => branches.includes(branch))',
    replace: '',
    test: LOOK_UP,
  },
  {
    loses: 'what a deeper fetch of a shallow clone brings',
    file: 'src/adapters/git/ancestry.ts',
    find: 'if (lasts(answer) || !(await isShallow())) known.set(pair, answer)',
    replace: 'known.set(pair, answer)',
    test: LOOK_UP,
  },
  {
    loses: 'a setup command’s children end with it',
    file: 'src/adapters/machine/workplace/run-setup.ts',
    find: 'sendSignal(-child.pid, what)',
    replace: 'sendSignal(child.pid, what)',
    test: 'test/unit/adapters/machine/run-setup.test.ts',
  },
  {
    loses: 'notifications after one that leaves a program behind',
    file: 'src/adapters/notify/run.ts',
    find: 'group: true,\n',
    replace: '',
    test: 'test/unit/adapters/notify/command.test.ts',
  },
  {
    loses: 'the words of agents stay on this machine',
    file: 'src/delivery/notify/notice.ts',
    find: 'options.text && text !== undefined',
    replace: 'text !== undefined',
    test: 'test/unit/delivery/notify/notice.test.ts',
  },
  {
    loses: 'a redirect takes no notification elsewhere',
    file: 'src/adapters/notify/webhook.ts',
    find: "redirect: 'manual',\n",
    replace: '',
    test: 'test/unit/adapters/notify/webhook.test.ts',
  },
  {
    loses: 'a requirement that only a skipped test cites is missing',
    file: 'test/reporters/requirements.ts',
    find: "module.children.allTests('passed')",
    replace: "[...module.children.allTests('passed'), ...module.children.allTests('skipped')]",
    test: 'test/unit/requirements-reporter.test.ts',
  },
]
