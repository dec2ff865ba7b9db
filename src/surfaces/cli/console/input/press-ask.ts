import type { Lines } from '../run-line.ts'
import { isWriting, type Action, type Ask, type ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
import { push } from './input-history.ts'
import { edit, EMPTY, type Line } from './line-editor.ts'
import { isText, type Key } from './keys.ts'
import type { ConsoleLine } from './parse-line.ts'

/** Does what a key means while something is asked. */
export function createPressAsk({
  store: { get, dispatch },
  lines,
  quit,
}: {
  store: Store<ConsoleState, Action>
  lines: Lines
  quit: () => void
}): (ask: Ask, key: Key) => void {
  const close = (): void => dispatch({ type: 'ask', ask: null })
  /** Not by Enter, which may come twice after what asked. */
  const ifYes = (key: Key, work: () => void): void => {
    close()
    if (isText(key, 'y')) work()
  }

  const inQuestion = (ask: Exclude<Ask, { line: unknown }>, key: Key): void => {
    switch (ask.kind) {
      case 'kill':
        return ifYes(key, () => void lines.kill(ask.agentId))
      case 'merge':
        return ifYes(key, () => void lines.merge(ask.number, ask.head))
      case 'leave':
        return ifYes(key, quit)
      case 'decide': {
        const kind = isText(key, 'a') ? 'approve' : isText(key, 'd') ? 'deny' : undefined
        if (kind === undefined) return
        const { agent, approvalId, what } = ask
        return dispatch({ type: 'ask', ask: { kind, agent, approvalId, what, line: EMPTY } })
      }
      case 'verdict': {
        const verdict = isText(key, 'a')
          ? 'approve'
          : isText(key, 'r')
            ? 'request_changes'
            : isText(key, 'c')
              ? 'comment'
              : undefined
        if (verdict === undefined) return
        const { number, head } = ask
        return dispatch({
          type: 'ask',
          ask: { kind: 'review', number, head, verdict, line: EMPTY },
        })
      }
    }
  }

  /**
   * Nothing that was written is lost: where it could not be done, it stands there again, or else
   * can be had from the history.
   */
  const attempt = (ask: Extract<Ask, { line: Line }>, work: Promise<boolean>): void => {
    const { place, overlay } = get()
    void work.then((done) => {
      const now = get()
      const isThere = now.place === place && now.overlay?.kind === overlay?.kind
      const hasRoom = place !== 'conversation' || overlay?.kind === 'inbox'
      if (done) return
      if (now.ask === null && isThere && hasRoom) dispatch({ type: 'ask', ask })
      else dispatch({ type: 'history', history: push(now.history, ask.line.text), text: null })
    })
  }

  return (ask, key) => {
    if (!isWriting(ask)) return inQuestion(ask, key)
    if (key.kind === 'edit') return dispatch({ type: 'draft', line: edit(ask.line, key.action) })
    if (key.kind !== 'submit') return
    const text = ask.line.text.trim()
    switch (ask.kind) {
      case 'answer':
        if (text === '') return
        close()
        return attempt(ask, lines.run({ kind: 'answer', id: ask.questionId, text }, get().viewed))
      case 'approve':
      case 'deny': {
        close()
        const line: ConsoleLine = {
          kind: ask.kind,
          id: ask.approvalId,
          ...(text === '' ? {} : { reason: text }),
        }
        return attempt(ask, lines.run(line, get().viewed))
      }
      case 'comment': {
        if (text === '') return
        close()
        return dispatch({
          type: 'review-comment',
          number: ask.number,
          comment: { ...ask.about, body: text },
        })
      }
      case 'review': {
        const { number, verdict, head } = ask
        close()
        return attempt(ask, lines.review({ number, verdict, head, body: text }))
      }
    }
  }
}
