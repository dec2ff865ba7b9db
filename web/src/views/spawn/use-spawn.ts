import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ToolInput, type ToolResult } from '../../api/call.ts'
import type { ApiError } from '../../api/errors.ts'
import { request } from '../../api/request.ts'
import { spawnForm, type Schema, type SpawnForm } from './schema-form.ts'

interface ToolList {
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[]
}

/** The form of the tool `spawn`, by the daemon’s own schema. */
export const useSpawnForm = () =>
  useQuery<SpawnForm | null, ApiError>({
    queryKey: ['tools'],
    queryFn: async ({ signal }) => {
      const { tools } = await request<ToolList>('/v1/tools?all=true', { signal })
      const tool = tools.find(({ name }) => name === 'spawn')
      return tool === undefined ? null : spawnForm(tool.inputSchema)
    },
  })

interface Wanted {
  readonly input: ToolInput<'spawn'>
  /** Id of the agent whose children they become; empty for the root. */
  readonly base: string
  readonly key?: string | undefined
}

export function useSpawn() {
  const queries = useQueryClient()
  return useMutation<ToolResult<'spawn'>, ApiError, Wanted>({
    mutationFn: ({ input, base, key }) =>
      call('spawn', input, {
        ...(base === '' ? {} : { as: base }),
        ...(key === undefined ? {} : { key }),
      }),
    onSettled: () =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'inbox' }),
  })
}
