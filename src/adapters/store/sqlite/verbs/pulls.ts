import { sql } from 'kysely'
import type { PullStore } from '../../store.ts'
import type { PullRow, ReviewCommentRow, ReviewRow } from '../../../../domain/forge-rows.ts'
import { createChecks } from './checks.ts'
import { type Session, rows } from '../session.ts'
import type { Tables } from '../tables.ts'

export function createPulls(session: Session): PullStore {
  const { db, atomic } = session
  return {
    insert: async (pull) => {
      const row = await db
        .insertInto('pulls')
        .values({
          ...pull,
          draft: Number(pull.draft),
          number: sql<number>`(select coalesce(max(number), 0) + 1 from pulls)`,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toPull(row)
    },
    get: async (number) => {
      const row = await db
        .selectFrom('pulls')
        .selectAll()
        .where('number', '=', number)
        .executeTakeFirst()
      return row === undefined ? undefined : toPull(row)
    },
    list: async ({ state, headBranch, baseBranch } = {}) => {
      let query = db.selectFrom('pulls').selectAll().orderBy('number')
      if (state !== undefined) query = query.where('state', '=', state)
      if (headBranch !== undefined) query = query.where('headBranch', '=', headBranch)
      if (baseBranch !== undefined) query = query.where('baseBranch', '=', baseBranch)
      return (await query.execute()).map(toPull)
    },
    update: async (number, { draft, ...patch }) => {
      const columns = { ...patch, ...(draft === undefined ? {} : { draft: Number(draft) }) }
      const set = Object.fromEntries(
        Object.entries(columns).filter(([, value]) => value !== undefined),
      )
      if (Object.keys(set).length > 0)
        await db.updateTable('pulls').set(set).where('number', '=', number).execute()
    },
    addReview: ({ comments, ...review }) =>
      atomic(async (own) => {
        const added = await own
          .insertInto('reviews')
          .values(review)
          .returningAll()
          .executeTakeFirstOrThrow()
        for (const { thread = null, ...comment } of comments) {
          await own
            .insertInto('review_comments')
            .values({ ...comment, thread, review: added.id })
            .execute()
        }
        const kept = await rows<CommentRow>(
          own,
          `${COMMENTS} where review_comments.review = ? order by review_comments.id`,
          added.id,
        )
        return { ...added, comments: kept.map(toComment) }
      }),
    resolveThread: async (comment) => {
      await db
        .updateTable('review_comments')
        .set({ resolved: 1 })
        .where('id', '=', comment)
        .execute()
    },
    reviews: async (pull) => {
      const reviews = await db
        .selectFrom('reviews')
        .selectAll()
        .where('pull', '=', pull)
        .orderBy('id')
        .execute()
      // A review added in between has its comments here, but does not show: nothing is half there.
      const comments = await rows<CommentRow>(
        db,
        `${COMMENTS} where pull = ? order by review_comments.id`,
        pull,
      )
      const byReview = Map.groupBy(comments, ({ review }) => review)
      return reviews.map((review): ReviewRow => ({
        ...review,
        comments: (byReview.get(review.id) ?? []).map(toComment),
      }))
    },
    ...createChecks(session),
  }
}

type CommentRow = Omit<ReviewCommentRow, 'resolved'> & { review: number; resolved: number }

/** Whether a conversation was resolved stands in its first comment. */
const COMMENTS = `select review_comments.id, review_comments.review, review_comments.path, review_comments.line, review_comments.body,
  review_comments.thread, coalesce(first.resolved, review_comments.resolved) as resolved
  from review_comments join reviews on reviews.id = review_comments.review left join review_comments as first on first.id = review_comments.thread`

const toPull = (row: Tables['pulls']): PullRow => ({ ...row, draft: row.draft === 1 })
const toComment = ({ id, path, line, body, thread, resolved }: CommentRow): ReviewCommentRow => ({
  id,
  path,
  line,
  body,
  thread,
  resolved: resolved === 1,
})
