import type { ServerResponse } from 'node:http'
import type { Receipt, TakeReceipt } from '../core/mail/receipt.ts'
import type { Log } from '../runtime/log.ts'

/** What the result of a call takes away, until it is known whether the result arrived. */
export interface Receipts {
  readonly take: TakeReceipt
  /** Settles all of them, and those that are still to come. Only the first call counts. */
  settle(arrived: boolean): void
}

export function collectReceipts(log: Log): Receipts {
  const held: Receipt[] = []
  let outcome: boolean | undefined
  const settleOne = (receipt: Receipt, arrived: boolean): void => {
    ;(arrived ? receipt.confirm() : receipt.giveBack()).catch((error: unknown) => {
      log.warn(
        { err: error },
        'whether a result arrived could not be noted; after the next start it counts as not arrived',
      )
    })
  }
  return {
    take: (receipt) => {
      if (outcome === undefined) held.push(receipt)
      else settleOne(receipt, outcome)
    },
    settle: (arrived) => {
      if (outcome !== undefined) return
      outcome = arrived
      for (const receipt of held.splice(0)) settleOne(receipt, arrived)
    },
  }
}

/** Settles them when the response was written out whole, or its client went before that. */
export function settleWithResponse(receipts: Receipts, response: ServerResponse): void {
  if (response.destroyed || response.closed) return receipts.settle(false)
  response.once('finish', () => receipts.settle(!failed(response)))
  response.once('close', () => receipts.settle(response.writableFinished && !failed(response)))
}

/** A connection that broke while it was written to takes its data along. */
const failed = ({ socket, errored }: ServerResponse): boolean =>
  errored !== null || (socket?.errored ?? null) !== null
