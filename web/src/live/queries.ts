import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { callOnce } from '../api/call-once.ts'
import { call, type ToolInput, type ToolName, type ToolResult } from '../api/call.ts'
import type { ApiError } from '../api/errors.ts'
import { isPassing } from '../api/errors.ts'
import type { Connection, WireEvent } from './connection.ts'

/**
 * Documents of the daemon as its tools return them, by tool and input. Nothing is asked for again
 * by the clock: events say what is old.
 */
export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The connection tells when the daemon is back.
        retry: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })

/** What a tool returns, live. */
export const useTool = <Name extends ToolName>(
  name: Name,
  input: ToolInput<Name>,
  options: { readonly enabled?: boolean; readonly keep?: boolean } = {},
): UseQueryResult<ToolResult<Name>, ApiError> =>
  useQuery<ToolResult<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled: options.enabled ?? true,
    // The library’s type leaves out results that are functions; none is.
    ...(options.keep === true ? { placeholderData: keepPreviousData as never } : {}),
  })

/**
 * A call that changes something, done once though it is asked for twice. `done`: called with what it
 * was given, also where the view that asked for it is gone by then, which `mutate` alone does not do.
 */
export function useAction<Name extends ToolName>(
  name: Name,
  done?: (input: ToolInput<Name>) => void,
): UseMutationResult<ToolResult<Name>, ApiError, ToolInput<Name>> {
  const queries = useQueryClient()
  return useMutation<ToolResult<Name>, ApiError, ToolInput<Name>>({
    mutationFn: (input) => callOnce(name, input),
    onSuccess: (_result, input) => done?.(input),
    onSettled: () => void queries.invalidateQueries(),
  })
}

/** Which documents an event makes old, by the beginning of its type; the tree has a way of its own. */
const MAKES_OLD: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^(pr|ci|base|fold|landing|merge|review)\./,
    ['pr_list', 'pr_show', 'pr_checks', 'pr_commits', 'pr_diff', 'fold', 'fold_log', 'inbox'],
  ],
  [
    /^(question|approval|delivery|agent|stop|spawn)\.|^(mail|message|note)$/,
    ['inbox', 'agent_status', 'scrollback', 'spawn_choices'],
  ],
  // What it left: another program leaves something else.
  [/^agent\.(started|completed|failed|killed)$/, ['screen']],
  [/^conflict\./, ['radar', 'fold']],
  [/^budget\./, ['inbox']],
  [/^(agent|budget)\./, ['usage']],
  [/^(delivery|question)\.|^(mail|message|note)$/, ['agent_mail']],
  // Each is a look at a worktree: where a turn has ended, not at each step of it.
  [/^agent\.(idle|waiting|completed|failed|killed)$|^pr\./, ['agent_diff']],
]
/** Documents that a view reads beside the tools’, by GET: they name themselves so. */
export const EVENTS_KEY = 'events'

/** Milliseconds: of a flood of events the latest state is enough. */
const PAUSE = 100

/** Has the documents follow the events until it is stopped. */
export function follow(connection: Connection, queries: QueryClient): () => void {
  const old = new Set<string>()
  let timer: number | undefined
  const flush = () => {
    timer = undefined
    const names = new Set(old)
    old.clear()
    void queries.invalidateQueries({ predicate: ({ queryKey }) => names.has(String(queryKey[0])) })
  }
  const mark = (names: readonly string[]) => {
    for (const name of names) old.add(name)
    timer ??= window.setTimeout(flush, PAUSE)
  }
  const stopEvents = connection.onEvent(({ type }: WireEvent) => {
    mark([
      EVENTS_KEY,
      ...MAKES_OLD.flatMap(([pattern, names]) => (pattern.test(type) ? names : [])),
    ])
  })
  const stopStart = connection.onStart(() => void queries.invalidateQueries())
  // What failed while the daemon was away, or just back, is asked for again.
  let wasLive = false
  const stopStanding = connection.subscribe(() => {
    const isLive = connection.get().link === 'live'
    if (isLive && !wasLive)
      void queries.invalidateQueries({ predicate: ({ state }) => isPassing(state.error) })
    wasLive = isLive
  })
  return () => {
    clearTimeout(timer)
    stopEvents()
    stopStart()
    stopStanding()
  }
}
