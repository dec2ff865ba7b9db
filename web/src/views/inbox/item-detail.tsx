import { Link } from 'wouter'
import { itemOwnText } from '../../../../src/surfaces/text/inbox/inbox-words.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { useReadOnly } from '../../live/context.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useNow } from '../../parts/now.ts'
import { agentPath } from '../../shell/places.ts'
import { TYPES, type Item } from './items.ts'
import { useWords } from './settle/parts.tsx'
import { SettleItem } from './settle/settle-item.tsx'
import type { Settling } from './use-settle.ts'

/** One item, whole, with what settles it. */
export function ItemDetail({
  item,
  isGone,
  settledWords,
  settling,
  leave,
}: {
  readonly item: Item
  /** It was settled while something is written about it. */
  readonly isGone: boolean
  /** By whom, where that is known. */
  readonly settledWords: string | null
  readonly settling: Settling
  /** Goes on to the next. */
  readonly leave: () => void
}) {
  const readOnly = useReadOnly()
  const { one, tone } = TYPES[item.type]
  const error = settling.errors.get(item.id)
  return (
    <article className="panel inbox-item" aria-label={printableLine(item.title)}>
      <header>
        <span className={`chip tone-${tone}`}>{one}</span>
        {item.agent !== null &&
          (item.agent_id === null ? (
            <bdi className="who">{printableLine(item.agent)}</bdi>
          ) : (
            <Link href={agentPath(item.agent_id)} className="who">
              <bdi>{printableLine(item.agent)}</bdi>
            </Link>
          ))}
        <Since at={item.since} />
      </header>
      <div className="inbox-text">
        <h2>
          <bdi>{printableLine(headOf(item))}</bdi>
        </h2>
        <Text item={item} />
        {error !== undefined && (
          <p role="alert" className="tone-bad refusal">
            {error}
          </p>
        )}
        {isGone ? (
          <Gone item={item} words={settledWords} leave={leave} />
        ) : readOnly ? (
          <p className="hint">This page only reads: it can’t be settled here.</p>
        ) : (
          <SettleItem
            key={item.id}
            item={item}
            settle={settling.settle}
            isGoing={settling.going.has(item.id)}
          />
        )}
        <details>
          <summary className="hint">In a terminal</summary>
          <ul className="commands mono">
            {item.settle.map((command) => (
              <li key={command}>{printableLine(command)}</li>
            ))}
          </ul>
        </details>
      </div>
    </article>
  )
}

/** Without the words that stand below it whole. */
const headOf = ({ type, title, agent }: Item): string =>
  type === 'question'
    ? `${agent ?? 'Somebody'} asks`
    : type === 'permission' || type === 'approval'
      ? `${agent ?? 'Somebody'} asks for ${type}`
      : title

/** A question and a message as they were written; a screen or a log with its columns. */
function Text({ item }: { readonly item: Item }) {
  const isAsked = item.type === 'question' || item.type === 'permission' || item.type === 'approval'
  const text = isAsked ? printable(item.text).trim() : itemOwnText(item)
  if (text === '') return null
  return item.type === 'question' || item.type === 'delivery' ? (
    <p className="quoted" dir="auto">
      {text}
    </p>
  ) : (
    <pre className="quoted" tabIndex={0} dir="auto">
      {text}
    </pre>
  )
}

function Gone({
  item,
  words,
  leave,
}: {
  readonly item: Item
  readonly words: string | null
  readonly leave: () => void
}) {
  const written = useWords(item)
  return (
    <div className="gone" role="status">
      <p>
        <strong>This was settled meanwhile.</strong> {words}
      </p>
      <label className="label">
        What you had written
        <textarea className="field" readOnly value={written.words} />
      </label>
      <div className="buttons">
        <button
          type="button"
          className="button"
          onClick={() => {
            written.clear()
            leave()
          }}
        >
          Discard
        </button>
        <CopyButton words={written.words} />
      </div>
    </div>
  )
}

function Since({ at }: { readonly at: number }) {
  return <span className="hint">{relativeTime(at, useNow())}</span>
}
