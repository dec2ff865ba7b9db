import { parseQuietHours } from '../../domain/quiet-hours.ts'
import type { SemanticFault } from '../check.ts'
import type { Config } from '../schema.ts'

type Target = Config['notify']['targets'][string]

/** Keys that only one kind of target has. */
const ONLY_OF = {
  command: 'command',
  preset: 'webhook',
  url_file: 'webhook',
  url_env: 'webhook',
} as const satisfies Partial<Record<keyof Target, Target['kind']>>

/** What [notify] says that can’t be meant. */
export function* checkNotify({ notify }: Config): Generator<SemanticFault> {
  if (notify.quiet !== undefined) yield* hoursFaults(['notify', 'quiet'], notify.quiet)
  for (const [name, target] of Object.entries(notify.targets))
    yield* targetFaults(['notify', 'targets', name], name, target)
}

function* targetFaults(
  path: readonly PropertyKey[],
  name: string,
  target: Target,
): Generator<SemanticFault> {
  if (!/^[\w-]+$/.test(name))
    yield { path, problem: 'its name is made of letters, digits, - and _ alone' }
  if (target.quiet !== undefined && target.quiet !== 'off')
    yield* hoursFaults([...path, 'quiet'], target.quiet)
  for (const key of ['command', 'preset', 'url_file', 'url_env'] as const) {
    if (target[key] === undefined || target.kind === ONLY_OF[key]) continue
    yield {
      path: [...path, key],
      problem: `says nothing with kind ${JSON.stringify(target.kind)}: it is for kind ${JSON.stringify(ONLY_OF[key])}`,
    }
  }
  if (target.kind === 'command' && target.command === undefined)
    yield { path, problem: 'kind "command" needs a command, such as ["say"]' }
  if (target.kind !== 'webhook') return
  if ((target.url_file === undefined) === (target.url_env === undefined)) {
    yield {
      path,
      problem: `kind "webhook" needs ${target.url_file === undefined ? '' : 'only '}one of url_file and url_env. Whoever knows its address may post there, so that it does not stand in this file`,
    }
  }
}

function* hoursFaults(path: readonly PropertyKey[], found: string): Generator<SemanticFault> {
  if (parseQuietHours(found) === undefined)
    yield { path, problem: `found ${JSON.stringify(found)}; hours look like "22:00-07:00"` }
}
