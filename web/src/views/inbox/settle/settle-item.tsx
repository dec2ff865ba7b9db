import { useState } from 'react'
import { Link } from 'wouter'
import { agentPath, pullPath } from '../../../shell/places.ts'
import { useTool } from '../../../live/queries.ts'
import { checksChip, reviewChip } from '../../pulls/words.ts'
import { ChipView } from '../../pulls/chips.tsx'
import { isSettledBy, keyOf } from '../items.ts'
import { useWords, WordsForm, type Settled } from './parts.tsx'

/** How an item is settled, in place. */
export function SettleItem(props: Settled) {
  switch (props.item.type) {
    case 'question':
      return <AnswerQuestion {...props} />
    case 'permission':
    case 'approval':
      return <Decide {...props} />
    case 'terminal':
      return <InTerminal {...props} />
    case 'pull':
      return <OfPull {...props} />
    case 'failed':
      return <Failure {...props} />
    case 'delivery':
      return <Undecided {...props} />
  }
}

function AnswerQuestion({ item, settle, isGoing }: Settled) {
  const { words, set, clear } = useWords(item)
  const who = item.agent_id ?? item.agent
  const send = () => {
    if (words.trim() === '' || isGoing || who === null) return
    settle(
      item.id,
      'answer_question',
      { agent: who, message: words.trim(), question_id: keyOf(item) },
      { words: `Answered ${item.agent ?? ''}.`, done: clear },
    )
  }
  return (
    <WordsForm
      label="Your answer"
      placeholder="It waits for this; “decide yourself” is an answer, too"
      {...{ words, set, send }}
    >
      <button type="submit" className="button primary" disabled={isGoing || words.trim() === ''}>
        {isGoing ? 'Sending …' : 'Answer'}
      </button>
      <span className="hint">Ctrl+Enter</span>
    </WordsForm>
  )
}

function Decide({ item, settle, isGoing }: Settled) {
  const { words, set, clear } = useWords(item)
  const decide = (tool: 'approve' | 'deny') => {
    if (isGoing) return
    settle(
      item.id,
      tool,
      {
        approval_id: keyOf(item),
        ...(words.trim() === '' ? {} : { reason: words.trim() }),
      },
      { words: `${tool === 'approve' ? 'Approved' : 'Denied'}: ${item.title}`, done: clear },
    )
  }
  return (
    <WordsForm
      label="Reason"
      placeholder="Goes to the agent; may be left out"
      {...{ words, set }}
      send={() => decide('approve')}
    >
      <button
        type="submit"
        data-approve
        aria-keyshortcuts="a"
        className="button primary"
        disabled={isGoing}
      >
        Approve
      </button>
      <button
        type="button"
        data-deny
        aria-keyshortcuts="d"
        className="button danger"
        disabled={isGoing}
        onClick={() => decide('deny')}
      >
        Deny
      </button>
      <span className="hint">Ctrl+Enter approves</span>
    </WordsForm>
  )
}

function InTerminal({ item }: Settled) {
  return item.agent_id === null ? null : (
    <div className="stack">
      <p>Only its terminal can be answered: what its program asks there, exomonad can’t read.</p>
      <div className="buttons">
        <Link href={agentPath(item.agent_id)} className="button primary" data-first>
          Open its terminal
        </Link>
      </div>
    </div>
  )
}

function OfPull({ item, settle, isGoing }: Settled) {
  const number = Number(keyOf(item))
  const { data: pull } = useTool('pr_show', { pr_number: number })
  const { words, set, clear } = useWords(item)
  // Seen here when the item was opened: nothing newer is merged.
  const [head, setHead] = useState<string>()
  if (head === undefined && pull !== undefined) setHead(pull.head_sha)
  const canMerge = isSettledBy(item, 'merge')
  const ask = () => {
    if (words.trim() === '' || isGoing) return
    settle(
      item.id,
      'pr_review',
      {
        pr_number: number,
        verdict: 'request_changes',
        body: words.trim(),
        ...(head === undefined ? {} : { head_sha: head }),
      },
      { words: `Asked for changes of #${number}.`, done: clear },
    )
  }
  return (
    <div className="stack">
      {pull !== undefined && (
        <div className="chips">
          <ChipView chip={checksChip(pull)} />
          <ChipView chip={reviewChip(pull)} />
        </div>
      )}
      <div className="buttons">
        <Link href={`${pullPath(number)}?tab=files`} className="button primary" data-first>
          Look at the changes
        </Link>
        {canMerge && (
          <button
            type="button"
            className="button"
            disabled={isGoing || head === undefined}
            onClick={() =>
              settle(
                item.id,
                'merge_pr',
                { pr_number: number, ...(head === undefined ? {} : { head_sha: head }) },
                { words: `#${number} is merged, or lands by itself once its result is checked.` },
              )
            }
          >
            {isGoing ? 'Merging …' : 'Merge'}
          </button>
        )}
      </div>
      <WordsForm
        label="Or ask for changes"
        placeholder="What is to be changed before it can be merged"
        {...{ words, set }}
        send={ask}
      >
        <button type="submit" className="button" disabled={isGoing || words.trim() === ''}>
          Request changes
        </button>
      </WordsForm>
    </div>
  )
}

function Failure({ item, settle, isGoing }: Settled) {
  const { words, set, clear } = useWords(item)
  const id = item.agent_id
  const name = item.agent ?? ''
  const [isSure, setSure] = useState(false)
  if (id === null) return null
  const canResume = isSettledBy(item, 'resume')
  const isLiving = isSettledBy(item, 'send')
  const send = () => {
    if (words.trim() === '' || isGoing) return
    settle(
      item.id,
      'send',
      { to: id, message: words.trim() },
      { words: `Sent to ${name}.`, done: clear },
    )
  }
  return (
    <div className="stack">
      <div className="buttons">
        {canResume && (
          <button
            type="button"
            data-resume
            aria-keyshortcuts="r"
            className="button primary"
            disabled={isGoing}
            onClick={() =>
              settle(item.id, 'resume', { agent: id }, { words: `${name} runs again.` })
            }
          >
            {isGoing ? 'Starting …' : 'Start it again'}
          </button>
        )}
        <Link href={agentPath(id)} className="button">
          What it did last
        </Link>
        {isSettledBy(item, 'reap') && (
          <button
            type="button"
            className="button"
            disabled={isGoing}
            title="Their work stays: branches, worktrees, pull requests"
            onClick={() =>
              settle(item.id, 'reap', {}, { words: 'Took all ended agents out of sight.' })
            }
          >
            Take ended agents out of sight
          </button>
        )}
        {isLiving && (
          <button
            type="button"
            className="button danger"
            disabled={isGoing}
            onClick={() =>
              isSure
                ? settle(item.id, 'kill', { agent: id }, { words: `Ended ${name}.` })
                : setSure(true)
            }
          >
            {isSure ? `Yes, end ${name}` : 'End it'}
          </button>
        )}
      </div>
      {isLiving && (
        <WordsForm
          label="Or give it more to go on"
          placeholder="What it is to try instead"
          {...{ words, set, send }}
        >
          <button type="submit" className="button" disabled={isGoing || words.trim() === ''}>
            Send
          </button>
        </WordsForm>
      )}
    </div>
  )
}

function Undecided({ item, settle, isGoing }: Settled) {
  const { words, set, clear } = useWords(item)
  const id = item.agent_id
  if (id === null) return null
  const name = item.agent ?? ''
  const isLiving = isSettledBy(item, 'send')
  const send = () => {
    if (words.trim() === '' || isGoing) return
    settle(
      item.id,
      'send',
      { to: id, message: words.trim() },
      { words: `Sent to ${name}. Say whether the first arrived, too.`, done: clear, stays: true },
    )
  }
  return (
    <div className="stack">
      <p>
        Look at what it did last: if it acts on the message, it arrived. It is never sent twice by
        itself.
      </p>
      <div className="buttons">
        <Link href={agentPath(id)} className="button" data-first>
          What it did last
        </Link>
        {isLiving ? (
          <button
            type="button"
            className="button primary"
            disabled={isGoing}
            onClick={() =>
              settle(
                item.id,
                'ack',
                { ids: [keyOf(item)] },
                { as: id, words: 'Noted: it arrived.' },
              )
            }
          >
            It arrived
          </button>
        ) : (
          <button
            type="button"
            data-resume
            aria-keyshortcuts="r"
            className="button primary"
            disabled={isGoing}
            onClick={() =>
              settle(item.id, 'resume', { agent: id }, { words: `${name} runs again.` })
            }
          >
            Start it again
          </button>
        )}
      </div>
      {isLiving && (
        <WordsForm label="Or say it again" placeholder="A new message" {...{ words, set, send }}>
          <button type="submit" className="button" disabled={isGoing || words.trim() === ''}>
            Send
          </button>
          <button type="button" className="button" onClick={() => set(item.text)}>
            Copy the message here
          </button>
        </WordsForm>
      )}
    </div>
  )
}
