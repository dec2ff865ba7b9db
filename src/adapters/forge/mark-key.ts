import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoreVerbs } from '../store/store.ts'
import type { ReviewMark } from './review-mark.ts'

const KEY = 'forge:mark-key'

/**
 * What a mark is about: it can’t be copied to another pull request, and a verdict not to another
 * commit.
 */
export interface MarkedAt {
  readonly number: number
  /**
   * Head that the verdict is on. Of no account for what only comments: an answer is said to be on
   * the commit that its conversation began on.
   */
  readonly commit: string | null
}

/**
 * Signs marks, so that what somebody writes by hand from the token’s account is not taken for an
 * agent’s verdict.
 */
export interface MarkSigner {
  /** HMAC-SHA256 in hex. */
  sum(mark: Omit<ReviewMark, 'sum'>, at: MarkedAt): string
  /** False for a mark without a sum, or with another key’s. */
  isSigned(mark: ReviewMark, at: MarkedAt): boolean
}

/** The signer with the key of this store, made where it has none yet. */
export function createMarkSigner({
  snapshots,
}: Pick<StoreVerbs, 'snapshots'>): () => Promise<MarkSigner> {
  let signer: Promise<MarkSigner> | undefined

  const load = async (): Promise<MarkSigner> => {
    const stored = (await snapshots.get(KEY))?.['key']
    if (typeof stored === 'string') return signerWith(Buffer.from(stored, 'base64'))
    const key = randomBytes(32)
    await snapshots.put(KEY, { key: key.toString('base64') })
    return signerWith(key)
  }

  return async () => {
    signer ??= load()
    try {
      return await signer
    } catch (error) {
      signer = undefined
      throw error
    }
  }
}

function signerWith(key: Buffer): MarkSigner {
  const sumOf = (
    { author, state, resolves }: Omit<ReviewMark, 'sum'>,
    { number, commit }: MarkedAt,
  ): Buffer =>
    createHmac('sha256', key)
      .update(
        JSON.stringify([
          number,
          state === 'commented' ? null : commit,
          author,
          state,
          ...(resolves === true ? ['resolves'] : []),
        ]),
      )
      .digest()
  return {
    sum: (mark, at) => sumOf(mark, at).toString('hex'),
    isSigned({ sum, ...mark }, at) {
      const given = Buffer.from(sum ?? '', 'hex')
      const wanted = sumOf(mark, at)
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    },
  }
}
