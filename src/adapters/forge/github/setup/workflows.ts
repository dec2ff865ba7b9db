import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml'
import { escapePattern, passesFilter } from './branch-pattern.ts'

export interface WorkflowFile {
  /** Relative to the repository: `.github/workflows/ci.yml`. */
  readonly path: string
  readonly text: string
}

export interface WorkflowFinding {
  readonly path: string
  /** From 1; null where it can’t be determined. */
  readonly line: number | null
  /** Both are sentences without a full stop. */
  readonly problem: string
  readonly fix: string
}

/**
 * Workflows that check pull requests or pushes, but not those of the tree that grows from `root`:
 * its pull requests go into `root` itself and into branches such as `root.feature`, from heads such
 * as `root.feature.part`. One that runs on pushes to some branches only is taken for a check where
 * nothing else is one; beside others it deploys.
 */
export function findSilentWorkflows(
  files: readonly WorkflowFile[],
  root: string,
): WorkflowFinding[] {
  const others = files.some(({ text }) =>
    triggersOf(parseDocument(text, { prettyErrors: false })).some((trigger) =>
      checksPulls(trigger, root),
    ),
  )
  return files.flatMap((file) => findingsOf(file, root, others))
}

/**
 * Whether it runs on a pull request with that base and head, by the branches that it names. What
 * paths it is limited to is not looked at.
 */
export function runsForPull(
  { text }: WorkflowFile,
  { base, head }: { readonly base: string; readonly head: string },
): boolean {
  const document = parseDocument(text, { prettyErrors: false })
  if (document.errors.length > 0) return false
  return triggersOf(document).some((trigger) =>
    trigger.event === 'push' ? runsOn(trigger, head) : isCheck(trigger) && runsOn(trigger, base),
  )
}

interface Trigger {
  readonly event: 'pull_request' | 'push'
  readonly branches: readonly string[] | null
  readonly branchesIgnore: readonly string[] | null
  readonly tagsOnly: boolean
  readonly types: readonly string[] | null
}

function findingsOf(
  { path, text }: WorkflowFile,
  root: string,
  others: boolean,
): WorkflowFinding[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [fault] = document.errors
  if (fault !== undefined) {
    return [
      {
        path,
        line: lines.linePos(fault.pos[0]).line,
        problem: `is no valid YAML (${fault.message}), so GitHub won’t run it`,
        fix: 'Correct it',
      },
    ]
  }
  const triggers = triggersOf(document)
  const pull = triggers.find(({ event }) => event === 'pull_request')
  const push = triggers.find(({ event }) => event === 'push')
  // A push of a head is checked as well as a pull request of it: GitHub shows what ran on the
  // commit.
  if (push !== undefined && checksPulls(push, root)) return []
  const line = (key: string): number | null => {
    const offset = offsetOf(document, key)
    return offset === null ? null : lines.linePos(offset).line
  }
  if (pull !== undefined) {
    const missed = isCheck(pull)
      ? [root, `${root}.feature`].filter((base) => !runsOn(pull, base))
      : []
    return missed.length === 0
      ? []
      : [{ path, line: line('pull_request'), ...wordsOf(pull, missed, root) }]
  }
  if (push === undefined || push.tagsOnly || others) return []
  const where =
    push.branches === null ? 'on pushes to some branches' : `on pushes to ${quoted(push.branches)}`
  return [
    {
      path,
      line: line('push'),
      problem: `runs only ${where}, so on no agent’s pull request`,
      fix: `If it checks the code, add \`pull_request:\` to its \`on:\``,
    },
  ]
}

function wordsOf(
  { branches }: Trigger,
  missed: readonly string[],
  root: string,
): { problem: string; fix: string } {
  const against = missed.join(' and ')
  if (branches === null) {
    return {
      problem: `leaves out pull requests against ${against} (branches-ignore)`,
      fix: `Take out of its branches-ignore what matches ${against}`,
    }
  }
  const add = missed.map((base) =>
    base === root ? escapePattern(root) : `${escapePattern(root)}.*`,
  )
  return {
    problem: `runs on pull requests against ${quoted(branches)}, not against ${against}`,
    fix: `Add ${quoted(add)} to its branches`,
  }
}

const quoted = (patterns: readonly string[]): string =>
  patterns.map((pattern) => `'${pattern}'`).join(', ')

/** Reacting only to labels, closing and the like is no check. */
const isCheck = ({ types }: Trigger): boolean =>
  types === null || types.includes('opened') || types.includes('synchronize')

/** Of some branches at least. */
const checksPulls = (trigger: Trigger, root: string): boolean =>
  trigger.event === 'push' ? runsOn(trigger, `${root}.feature.part`) : isCheck(trigger)

function runsOn({ branches, branchesIgnore, tagsOnly }: Trigger, branch: string): boolean {
  if (tagsOnly) return false
  if (branches !== null) return passesFilter(branches, branch)
  return branchesIgnore === null || !passesFilter(branchesIgnore, branch)
}

function triggersOf(document: Document): Trigger[] {
  const on = valueAt(document, 'on')
  const events =
    typeof on === 'string'
      ? { [on]: null }
      : Array.isArray(on)
        ? Object.fromEntries(on.map((event) => [String(event), null]))
        : tableOf(on)
  return (['pull_request', 'push'] as const).flatMap((event): Trigger[] => {
    if (!(event in events)) return []
    const filter = tableOf(events[event])
    const branches = listOf(filter['branches'])
    const branchesIgnore = listOf(filter['branches-ignore'])
    const tagged = 'tags' in filter || 'tags-ignore' in filter
    return [
      {
        event,
        branches,
        branchesIgnore,
        tagsOnly: tagged && branches === null && branchesIgnore === null,
        types: listOf(filter['types']),
      },
    ]
  })
}

/** Plain values of a key; undefined where aliases make too much of it. */
function valueAt(document: Document, key: string): unknown {
  try {
    return tableOf(document.toJS())[key]
  } catch {
    return undefined
  }
}

const tableOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

function listOf(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

/** Where a filter of an event is written, else the event, else `on`. */
function offsetOf(document: Document, event: string): number | null {
  let node: unknown = document.contents
  let found: number | null = null
  for (const keys of [['on'], [event], ['branches', 'branches-ignore']]) {
    if (!isMap(node)) return found
    const pair = node.items.find(({ key }) => isScalar(key) && keys.includes(String(key.value)))
    if (pair === undefined) return found
    found = isScalar(pair.key) ? (pair.key.range?.[0] ?? found) : found
    node = pair.value
  }
  return found
}
