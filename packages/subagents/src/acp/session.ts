import type { ClientConnection } from '@agentclientprotocol/sdk'
import { ExomonadError } from '../errors.ts'
import type { AcpChoice, AcpSession } from './acp.ts'
import type { Child } from './child.ts'
import { finalOutput } from './failures.ts'
import { offersOf, withOptions, type Offers } from './offers.ts'
import { usageOf } from './turn-usage.ts'

type Fields = Readonly<Record<string, unknown>>

/** A session as its connection holds it. */
export interface HeldSession extends AcpSession {
  /** Aborts when the turn that is under way is cancelled or over; aborted where there is none. */
  signal(): AbortSignal
  offered(answer: Fields): void
  /** Of a `session/update`: what it offers may change. */
  updated(update: Fields): void
}

export function createSession(options: {
  id: string
  loaded: boolean
  name: string
  connection: ClientConnection
  child: Child
  request: <Answer>(doing: string, method: string, params: unknown) => Promise<Answer>
  cancelTimeout: number
}): HeldSession {
  const { id, name, connection, child, request, cancelTimeout } = options
  let offers: Offers = offersOf({})
  let turn: AbortController | null = null

  const check = (what: 'model' | 'mode', choices: readonly AcpChoice[], wanted: string): void => {
    if (choices.some((choice) => choice.id === wanted)) return
    const offered =
      choices.length === 0
        ? `It offers no choice of ${what}.`
        : `It offers: ${choices.map((choice) => choice.id).join(', ')}.`
    throw new ExomonadError('INVALID_ARG', `${name} has no ${what} "${wanted}". ${offered}`, {
      offered: choices.map((choice) => choice.id),
    })
  }

  async function choose(what: 'model' | 'mode', wanted: string): Promise<void> {
    const by = what === 'model' ? offers.modelBy : offers.modeBy
    check(what, what === 'model' ? offers.models : offers.modes, wanted)
    if (by?.kind === 'option') {
      const answer = await request<Fields>(`set its ${what}`, 'session/set_config_option', {
        sessionId: id,
        configId: by.configId,
        value: wanted,
      })
      offers = withOptions(offers, answer?.['configOptions'])
    } else if (what === 'model')
      await request('set its model', 'session/set_model', { sessionId: id, modelId: wanted })
    else await request('set its mode', 'session/set_mode', { sessionId: id, modeId: wanted })
    offers = { ...offers, [what]: wanted }
  }

  return {
    id,
    loaded: options.loaded,
    models: () => offers.models,
    model: () => offers.model,
    modes: () => offers.modes,
    mode: () => offers.mode,
    setModel: (wanted) => choose('model', wanted),
    setMode: (wanted) => choose('mode', wanted),
    signal: () => turn?.signal ?? AbortSignal.abort(),
    offered: (answer) => {
      offers = offersOf(answer)
    },
    updated: (update) => {
      if (update['sessionUpdate'] === 'config_option_update')
        offers = withOptions(offers, update['configOptions'])
      else if (
        update['sessionUpdate'] === 'current_mode_update' &&
        typeof update['currentModeId'] === 'string'
      )
        offers = { ...offers, mode: update['currentModeId'] }
    },
    prompt: async (text, signal) => {
      if (turn !== null)
        throw new ExomonadError(
          'INVALID_ARG',
          `${name} has a turn under way. Wait until it ends, or cancel it.`,
        )
      if (signal?.aborted === true) return { stopReason: 'cancelled', usage: null }
      const mine = new AbortController()
      turn = mine
      const cancelled = (): boolean => mine.signal.aborted
      let timer: NodeJS.Timeout | undefined
      let deaf = false
      const cancel = (): void => {
        mine.abort()
        void connection.agent.notify('session/cancel', { sessionId: id }).catch(() => {})
        timer = setTimeout(() => {
          deaf = true
          void child.end()
        }, cancelTimeout)
      }
      signal?.addEventListener('abort', cancel, { once: true })
      try {
        const answer = await request<Fields>('finish the turn', 'session/prompt', {
          sessionId: id,
          prompt: [{ type: 'text', text }],
        })
        const reason = answer?.['stopReason']
        // Some agents end a cancelled turn as if it had come to its end.
        const stopReason = cancelled()
          ? 'cancelled'
          : typeof reason === 'string'
            ? reason
            : 'end_turn'
        return { stopReason, usage: usageOf(answer, offers.model ?? name) }
      } catch (error) {
        if (!deaf) {
          // A cancelled request may be answered with an error; it did as it was asked.
          if (cancelled() && !connection.signal.aborted)
            return { stopReason: 'cancelled', usage: null }
          throw error
        }
        const words = `${name} took no notice of being cancelled for ${cancelTimeout / 1000} s and was ended.${finalOutput(child.stderr())}`
        throw new ExomonadError('NOT_AVAILABLE', words, { deaf: true }, { cause: error })
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
        mine.abort()
        turn = null
      }
    },
  }
}
