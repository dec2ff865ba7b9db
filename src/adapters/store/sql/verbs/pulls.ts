import { sql } from 'kysely'
import type { PullRow, ReviewCommentRow, ReviewRow } from '../../../../domain/forge-rows.ts'
import type { BranchName } from '../../../../domain/ids.ts'
import type { PullStore } from '../../pull-store.ts'
import { createChecks } from './checks.ts'
import { type Given, isEmpty, type Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

export function createPulls(session: Session): PullStore {
  const { rows, change, atomic } = session
  return {
    insert: async (pull) => {
      const [row] = await rows(INSERT, { ...pull, draft: Number(pull.draft) })
      if (row === undefined) throw new Error('an insert answered no row')
      return toPull(row)
    },
    get: async (number) => (await rows(GET, { number })).map(toPull)[0],
    list: async (filter = {}) => (await rows(LIST, filter)).map(toPull),
    update: async (number, { draft, ...patch }) => {
      const columns = { ...patch, ...(draft === undefined ? {} : { draft: Number(draft) }) }
      if (!isEmpty(columns)) await change(UPDATE, { ...columns, number })
    },
    addReview: ({ comments, ...review }) =>
      atomic(async (own) => {
        const [added] = await own.rows(INSERT_REVIEW, review)
        if (added === undefined) throw new Error('an insert answered no row')
        for (const { thread = null, startLine = null, side = 'right', ...comment } of comments)
          await own.change(INSERT_COMMENT, {
            ...comment,
            ...{ startLine, side, thread },
            review: added.id,
          })
        const kept = await own.rows(COMMENTS_OF_REVIEW, { review: added.id })
        return { ...added, comments: kept.map(toComment) }
      }),
    resolveThread: async (comment) => {
      await change(RESOLVE, { id: comment })
    },
    reviews: async (pull) => {
      const reviews = await rows(REVIEWS, { pull })
      // A review added in between has its comments here, but does not show: nothing is half there.
      const comments = await rows(COMMENTS_OF_PULL, { pull })
      const byReview = Map.groupBy(comments, ({ review }) => review)
      return reviews.map((review): ReviewRow => ({
        ...review,
        comments: (byReview.get(review.id) ?? []).map(toComment),
      }))
    },
    ...createChecks(session),
  }
}

/** The number is the next one. */
const INSERT = ({ db }: Tools, given: Given<Omit<Tables['pulls'], 'number'>>) =>
  db
    .insertInto('pulls')
    .values(({ selectFrom }) => ({
      ...given,
      number: selectFrom('pulls').select(({ eb, fn }) =>
        eb(fn.coalesce(fn.max('number'), sql.lit(0)), '+', sql.lit(1)).as('number'),
      ),
    }))
    .returningAll()

const GET = ({ db }: Tools, given: Given<{ number: number }>) =>
  db.selectFrom('pulls').selectAll().where('number', '=', given.number)

interface Filter {
  readonly state?: PullRow['state']
  readonly headBranch?: BranchName
  readonly baseBranch?: BranchName
}

function LIST({ db }: Tools, { state, headBranch, baseBranch }: Given<Filter>) {
  let query = db.selectFrom('pulls').selectAll().orderBy('number')
  if (state !== undefined) query = query.where('state', '=', state)
  if (headBranch !== undefined) query = query.where('headBranch', '=', headBranch)
  if (baseBranch !== undefined) query = query.where('baseBranch', '=', baseBranch)
  return query
}

const UPDATE = (
  { db }: Tools,
  { number, ...patch }: Given<Partial<Tables['pulls']> & { number: number }>,
) => db.updateTable('pulls').set(patch).where('number', '=', number)

const INSERT_REVIEW = ({ db }: Tools, given: Given<Omit<ReviewRow, 'id' | 'comments'>>) =>
  db.insertInto('reviews').values(given).returningAll()

const INSERT_COMMENT = (
  { db }: Tools,
  given: Given<Omit<Tables['review_comments'], 'id' | 'resolved'>>,
) => db.insertInto('review_comments').values(given)

const RESOLVE = ({ db }: Tools, given: Given<{ id: number }>) =>
  db
    .updateTable('review_comments')
    .set({ resolved: sql.lit(1) })
    .where('id', '=', given.id)

const REVIEWS = ({ db }: Tools, given: Given<{ pull: number }>) =>
  db.selectFrom('reviews').selectAll().where('pull', '=', given.pull).orderBy('id')

/** Whether a conversation was resolved stands in its first comment. */
const COMMENTS = ({ db }: Tools) =>
  db
    .selectFrom('review_comments')
    .innerJoin('reviews', 'reviews.id', 'review_comments.review')
    .leftJoin('review_comments as first', 'first.id', 'review_comments.thread')
    .select([
      'review_comments.id',
      'review_comments.review',
      'review_comments.path',
      'review_comments.line',
      'review_comments.startLine',
      'review_comments.side',
      'review_comments.body',
      'review_comments.thread',
    ])
    .select(({ fn }) => fn.coalesce('first.resolved', 'review_comments.resolved').as('resolved'))
    .orderBy('review_comments.id')

const COMMENTS_OF_REVIEW = (tools: Tools, given: Given<{ review: number }>) =>
  COMMENTS(tools).where('review_comments.review', '=', given.review)

const COMMENTS_OF_PULL = (tools: Tools, given: Given<{ pull: number }>) =>
  COMMENTS(tools).where('reviews.pull', '=', given.pull)

type CommentRow = Omit<ReviewCommentRow, 'resolved'> & { review: number; resolved: number }

const toPull = <Row extends { draft: number }>(
  row: Row,
): Omit<Row, 'draft'> & { draft: boolean } => ({
  ...row,
  draft: row.draft === 1,
})
const toComment = ({ review: _, resolved, ...comment }: CommentRow): ReviewCommentRow => ({
  ...comment,
  resolved: resolved === 1,
})
