import { ack } from './mail/ack.ts'
import { agentDiff } from './tree/agent-diff.ts'
import { agentMail } from './tree/agent-mail.ts'
import { agentResult } from './agents/agent-result.ts'
import { agentStatus } from './agents/agent-status.ts'
import { answerQuestion } from './mail/answer-question.ts'
import { approve } from './mail/approve.ts'
import { attach } from './agents/attach.ts'
import { attention } from './tree/attention.ts'
import { cancel } from './mail/cancel.ts'
import { capture } from './agents/capture.ts'
import { checkMail } from './mail/check-mail.ts'
import { clean } from './agents/clean.ts'
import { deny } from './mail/deny.ts'
import { down } from './agents/down.ts'
import { fanIn } from './mail/fan-in.ts'
import { filePr } from './pulls/file-pr.ts'
import { fold } from './fold/fold.ts'
import { foldLog } from './fold/fold-log.ts'
import { foldPause } from './fold/fold-pause.ts'
import { foldResume } from './fold/fold-resume.ts'
import { fork } from './agents/fork.ts'
import { forkCapture } from './agents/fork-capture.ts'
import { inbox } from './mail/inbox.ts'
import { interrupt } from './agents/interrupt.ts'
import { kill } from './agents/kill.ts'
import { killAgent } from './agents/kill-agent.ts'
import { killAgents } from './agents/kill-agents.ts'
import { mergePr } from './pulls/merge-pr.ts'
import { moveRoot } from './agents/move-root.ts'
import { note } from './mail/note.ts'
import { notifyTest } from './mail/notify-test.ts'
import { prChecks } from './pulls/pr-checks.ts'
import { prCommits } from './pulls/pr-commits.ts'
import { prDiff } from './pulls/pr-diff.ts'
import { prList } from './pulls/pr-list.ts'
import { prReview } from './pulls/pr-review.ts'
import { prShow } from './pulls/pr-show.ts'
import { question } from './mail/question.ts'
import { radar } from './radar.ts'
import { readMessage } from './mail/read-message.ts'
import { reap } from './agents/reap.ts'
import { resume } from './agents/resume.ts'
import { screen } from './agents/screen.ts'
import { scrollback } from './agents/scrollback.ts'
import { send } from './mail/send.ts'
import { sendRaw } from './agents/send-raw.ts'
import { spawn } from './agents/spawn.ts'
import { spawnAgents } from './agents/spawn-agents.ts'
import { spawnBackgroundTask } from './sessions/spawn-background-task.ts'
import { spawnChoices } from './agents/spawn-choices.ts'
import { spawnGeminiTeammate } from './agents/spawn-gemini-teammate.ts'
import { spawnLlmSession } from './sessions/spawn-llm-session.ts'
import { spawnSubtree } from './agents/spawn-subtree.ts'
import { spawnWorkers } from './agents/spawn-workers.ts'
import { subagentDelegate } from './sessions/subagent-delegate.ts'
import { subagentSpawn } from './sessions/subagent-spawn.ts'
import { tearDown } from './tear-down.ts'
import { tree } from './tree/tree.ts'
import { treeChanges } from './tree/tree-changes.ts'
import { up } from './agents/up.ts'
import { usage } from './tree/usage.ts'
import { wait } from './mail/wait.ts'
import { web } from './web.ts'
import { writeStdin } from './sessions/write-stdin.ts'
import type { AnyTool } from './define.ts'

/**
 * Every tool there is, sorted by name, each with the types of its own: what a typed call is checked
 * by (types.ts). A file in this folder that is not here fails test/parity.test.ts.
 */
const TOOLS = [
  ack,
  agentDiff,
  agentMail,
  agentResult,
  agentStatus,
  answerQuestion,
  approve,
  attach,
  attention,
  cancel,
  capture,
  checkMail,
  clean,
  deny,
  down,
  fanIn,
  filePr,
  fold,
  foldLog,
  foldPause,
  foldResume,
  fork,
  forkCapture,
  inbox,
  interrupt,
  kill,
  killAgent,
  killAgents,
  mergePr,
  moveRoot,
  note,
  notifyTest,
  prChecks,
  prCommits,
  prDiff,
  prList,
  prReview,
  prShow,
  question,
  radar,
  readMessage,
  reap,
  resume,
  screen,
  scrollback,
  send,
  sendRaw,
  spawn,
  spawnAgents,
  spawnBackgroundTask,
  spawnChoices,
  spawnGeminiTeammate,
  spawnLlmSession,
  spawnSubtree,
  spawnWorkers,
  subagentDelegate,
  subagentSpawn,
  tearDown,
  tree,
  treeChanges,
  up,
  usage,
  wait,
  web,
  writeStdin,
] as const satisfies readonly AnyTool[]

export type RegisteredTool = (typeof TOOLS)[number]

/** The same for those who treat all alike. */
export const ALL_TOOLS: readonly AnyTool[] = TOOLS

const byName = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))

export const toolNamed = (name: string): AnyTool | undefined => byName.get(name)
