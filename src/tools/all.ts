import { ack } from './ack.ts'
import { agentResult } from './agent-result.ts'
import { agentStatus } from './agent-status.ts'
import { answerQuestion } from './answer-question.ts'
import { approve } from './approve.ts'
import { attach } from './attach.ts'
import { cancel } from './cancel.ts'
import { capture } from './capture.ts'
import { checkMail } from './check-mail.ts'
import { clean } from './clean.ts'
import { deny } from './deny.ts'
import { down } from './down.ts'
import { fanIn } from './fan-in.ts'
import { filePr } from './file-pr.ts'
import { fork } from './fork.ts'
import { forkCapture } from './fork-capture.ts'
import { inbox } from './inbox.ts'
import { kill } from './kill.ts'
import { killAgent } from './kill-agent.ts'
import { mergePr } from './merge-pr.ts'
import { moveRoot } from './move-root.ts'
import { note } from './note.ts'
import { prChecks } from './pr-checks.ts'
import { prDiff } from './pr-diff.ts'
import { prList } from './pr-list.ts'
import { prReview } from './pr-review.ts'
import { prShow } from './pr-show.ts'
import { question } from './question.ts'
import { readMessage } from './read-message.ts'
import { reap } from './reap.ts'
import { resume } from './resume.ts'
import { screen } from './screen.ts'
import { scrollback } from './scrollback.ts'
import { send } from './send.ts'
import { sendRaw } from './send-raw.ts'
import { spawn } from './spawn.ts'
import { spawnAgents } from './spawn-agents.ts'
import { spawnBackgroundTask } from './spawn-background-task.ts'
import { spawnGeminiTeammate } from './spawn-gemini-teammate.ts'
import { spawnLlmSession } from './spawn-llm-session.ts'
import { spawnSubtree } from './spawn-subtree.ts'
import { spawnWorkers } from './spawn-workers.ts'
import { subagentDelegate } from './subagent-delegate.ts'
import { subagentSpawn } from './subagent-spawn.ts'
import { tree } from './tree.ts'
import { up } from './up.ts'
import { wait } from './wait.ts'
import { writeStdin } from './write-stdin.ts'
import type { AnyTool } from './define.ts'

/** Every tool there is, sorted by name. A file in this folder that is not here fails test/parity.test.ts. */
export const ALL_TOOLS: readonly AnyTool[] = [
  ack,
  agentResult,
  agentStatus,
  answerQuestion,
  approve,
  attach,
  cancel,
  capture,
  checkMail,
  clean,
  deny,
  down,
  fanIn,
  filePr,
  fork,
  forkCapture,
  inbox,
  kill,
  killAgent,
  mergePr,
  moveRoot,
  note,
  prChecks,
  prDiff,
  prList,
  prReview,
  prShow,
  question,
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
  spawnGeminiTeammate,
  spawnLlmSession,
  spawnSubtree,
  spawnWorkers,
  subagentDelegate,
  subagentSpawn,
  tree,
  up,
  wait,
  writeStdin,
]

const byName = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))

export const toolNamed = (name: string): AnyTool | undefined => byName.get(name)
