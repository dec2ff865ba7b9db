/**
 * For what a result takes away from where it waited: it must not be lost together with a result
 * that does not arrive. Exactly one of the two is called, once it is known; a crash before that
 * counts as `giveBack`.
 */
export interface Receipt {
  /** The whole result reached the caller. */
  confirm(): Promise<void>
  /** It did not: back to where it was, or on to another way. */
  giveBack(): Promise<void>
}
/** Takes receipts. Without one, whatever is answered counts as arrived. */
export type TakeReceipt = (receipt: Receipt) => void
