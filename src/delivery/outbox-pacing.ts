import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { AgentId } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Gate } from './outbox-gate.ts'
import type { OutboxCli } from './outbox-typing.ts'

/** Between looks at a program whose state nobody reports, milliseconds; doubles. */
const WATCH = { first: 50, longest: 5000 }

/** When a worker looks again, each time later where nothing came of it. */
export interface WorkerPacing {
  /** Milliseconds since the epoch; nothing is handed over before. */
  notBefore(): number
  /** After a hand-over that was refused. Returns when to look again, like those below. */
  backOff(config: Config): number
  /** At what nobody reports. */
  lookAgain(): number
  /** After a gate that is closed. */
  waitFor(gate: Extract<Gate, { kind: 'closed' }>, cli: OutboxCli, config: Config): number
  /** After a fault here. */
  afterFault(): number
  /** Something was handed over: the next wait is a short one. */
  handed(): void
  /** Look at once, whatever was waited for. */
  reset(): void
}

export function createWorkerPacing(
  id: AgentId,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): WorkerPacing {
  let notBefore = 0
  let delay = 0
  let watchDelay = 0

  const backOff = (config: Config): number => {
    delay = Math.min(
      delay === 0 ? config.delivery.retry_initial : delay * 2,
      config.delivery.retry_max,
    )
    notBefore = clock() + delay * 1000
    return notBefore
  }
  const lookAgain = (): number => {
    watchDelay = watchDelay === 0 ? WATCH.first : Math.min(watchDelay * 2, WATCH.longest)
    return (notBefore = clock() + watchDelay)
  }
  const waitFor = (
    gate: Extract<Gate, { kind: 'closed' }>,
    cli: OutboxCli,
    config: Config,
  ): number => {
    log.debug({ agent: id, reason: gate.reason }, 'messages wait')
    if (gate.soon === true) return backOff(config)
    if (gate.watch === true && (cli.observe !== undefined || cli.inputLine !== undefined))
      return lookAgain()
    notBefore = Math.max(gate.retryAt ?? clock() + config.delivery.retry_max * 1000, clock() + 1)
    return notBefore
  }

  return {
    notBefore: () => notBefore,
    backOff,
    lookAgain,
    waitFor,
    afterFault: () => {
      delay = Math.min(Math.max(delay * 2, 1), 60)
      return clock() + delay * 1000
    },
    handed: () => {
      delay = 0
      watchDelay = 0
    },
    reset: () => {
      notBefore = 0
      delay = 0
      watchDelay = 0
    },
  }
}

/** Undefined: never. */
export const earlier = (one: number, other: number | undefined): number =>
  other === undefined ? one : Math.min(one, other)
