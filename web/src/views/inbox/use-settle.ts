import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ToolInput, ToolName } from '../../api/call.ts'
import { callOnce } from '../../api/call-once.ts'
import { wordsOf } from '../../api/errors.ts'
import type { Item } from './items.ts'

/** Does what settles an item. */
export type Settle = <Name extends ToolName>(
  item: string,
  tool: Name,
  input: ToolInput<Name>,
  options: {
    /** What is said when it is done. */
    readonly words: string
    /** Called then. */
    readonly done?: () => void
    /** Agent to act for: its id. */
    readonly as?: string | undefined
    /** The item stays as long as the daemon says so; else it is gone at once. */
    readonly stays?: true
  },
) => void

export interface Settling {
  readonly settle: Settle
  /** Ids of items for which something is under way. */
  readonly going: ReadonlySet<string>
  /**
   * Since when those were there that were settled, by id, though the inbox that was read last may
   * have them: what comes later under the same id is another. Milliseconds since the epoch.
   */
  readonly settled: ReadonlyMap<string, number>
  /** What went wrong, by id. */
  readonly errors: ReadonlyMap<string, string>
  /** What was done last, in words. */
  readonly said: string
  readonly say: (words: string) => void
}

/** It outlasts the item’s form: one goes on to the next while the last is sent. */
export function useSettle(items: readonly Item[] | undefined): Settling {
  const queries = useQueryClient()
  const [going, setGoing] = useState<ReadonlySet<string>>(new Set())
  const [settled, setSettled] = useState<ReadonlyMap<string, number>>(new Map())
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const [said, say] = useState('')
  const known = useRef(items)
  useEffect(() => {
    known.current = items
  })
  const settle = useCallback<Settle>(
    (item, tool, input, { words, done, as, stays }) => {
      setGoing((before) => new Set(before).add(item))
      setErrors((before) => new Map([...before].filter(([id]) => id !== item)))
      const since = known.current?.find(({ id }) => id === item)?.since
      const work = async () => {
        try {
          await callOnce(tool, input, { as })
          done?.()
          say(words)
          if (stays === undefined && since !== undefined)
            setSettled((before) => new Map(before).set(item, since))
        } catch (thrown) {
          setErrors((before) => new Map(before).set(item, wordsOf(thrown)))
          say('')
        }
        setGoing((before) => new Set([...before].filter((id) => id !== item)))
        await queries.invalidateQueries()
      }
      void work()
    },
    [queries],
  )
  return { settle, going, settled, errors, said, say }
}
