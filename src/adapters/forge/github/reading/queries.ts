/**
 * All GraphQL that reading uses. GitHub’s price is the number of requests that fill every
 * connection to its `first`, by hundreds: a full look costs 13 a pull request (reviews, ten times
 * their comments, comments, contexts), the state alone none. `owner` and `name` come with the
 * client.
 */

const PAGE = 'pageInfo { hasNextPage endCursor }'
const LIMIT = 'rateLimit { cost limit remaining resetAt }'

/** What can change from one look to the next, without any connection. */
const STATE = `
  fragment State on PullRequest {
    id number url title state isDraft headRefName headRefOid baseRefName baseRefOid isCrossRepository
    mergeable mergeStateStatus reviewDecision createdAt updatedAt
    baseRef { target { oid } }
    mergeCommit { oid }
    mergedBy { ...Who }
    statusCheckRollup { state }
    mergeQueueEntry { position state enqueuedAt enqueuer { ...Who } headCommit { oid statusCheckRollup { state } } }
    autoMergeRequest { enabledAt enabledBy { ...Who } }
  }`
const WHO = 'fragment Who on Actor { __typename login }'
const LINE_COMMENTS = `
  fragment LineComments on PullRequestReviewCommentConnection {
    ${PAGE}
    nodes { fullDatabaseId path line originalLine startLine originalStartLine body author { ...Who } authorAssociation replyTo { fullDatabaseId } }
  }`
const REVIEWS = `
  fragment Reviews on PullRequestReviewConnection {
    ${PAGE}
    nodes {
      id fullDatabaseId state body author { ...Who } authorAssociation submittedAt commit { oid }
      comments(first: 10) { ...LineComments }
    }
  }`
const COMMENTS = `
  fragment Comments on IssueCommentConnection {
    ${PAGE}
    nodes { fullDatabaseId body author { ...Who } authorAssociation createdAt }
  }`
const CHECK_RUN = `
  fragment Run on CheckRun {
    databaseId name status conclusion startedAt completedAt detailsUrl permalink title
    checkSuite { status app { slug } workflowRun { event workflow { databaseId name } } }
  }`
const STATUS =
  'fragment Status on StatusContext { id context state targetUrl description createdAt }'

/**
 * Whether a check is required depends on the pull request, so that its number is part of the
 * question.
 */
const contexts = (page: string, number: string): string => `contexts(${page}) {
  ${PAGE}
  nodes {
    __typename
    ... on CheckRun { ...Run isRequired(pullRequestNumber: ${number}) }
    ... on StatusContext { ...Status isRequired(pullRequestNumber: ${number}) }
  }
}`

/** Tier 1: the state of up to 100 by node id. */
export const STATES = `query PullRequestStates($ids: [ID!]!) {
  ${LIMIT}
  nodes(ids: $ids) { ... on PullRequest { ...State } }
}
${STATE}
${WHO}`

/**
 * Connections of a pull request that is read in full, as GitHub counts them: reviews, the comments
 * of 10, comments, contexts.
 */
export const CONNECTIONS = 13

/**
 * Tier 2: everything of so many, as `p0`, `p1`, …, by the variables `n0`, `n1`, …. `states`: tier 1
 * of others beside it, for nothing.
 */
export const fullLook = (
  count: number,
  { states = false } = {},
): string => `query PullRequests($owner: String!, $name: String!${states ? ', $ids: [ID!]!' : ''}${each(count, (i) => `, $n${i}: Int!`)}) {
  ${LIMIT}
  ${states ? 'nodes(ids: $ids) { ... on PullRequest { ...State } }' : ''}
  repository(owner: $owner, name: $name) {
    databaseId
    ${each(
      count,
      (i) => `p${i}: pullRequest(number: $n${i}) {
      ...State
      body author { ...Who } authorAssociation
      baseRef {
        refUpdateRule {
          requiredStatusCheckContexts requiredApprovingReviewCount requiresCodeOwnerReviews requiresConversationResolution requiresSignatures
        }
      }
      reviews(first: 10) { ...Reviews }
      comments(first: 20) { ...Comments }
      statusCheckRollup { ${contexts('first: 50', `$n${i}`)} }
    }
    `,
    )}
  }
}
${[STATE, WHO, REVIEWS, LINE_COMMENTS, COMMENTS, CHECK_RUN, STATUS].join('\n')}`

const each = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

export const MORE_REVIEWS = `query MoreReviews($id: ID!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on PullRequest { reviews(first: 50, after: $after) { ...Reviews } } }
}
${[WHO, REVIEWS, LINE_COMMENTS].join('\n')}`

export const MORE_LINE_COMMENTS = `query MoreLineComments($id: ID!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on PullRequestReview { comments(first: 100, after: $after) { ...LineComments } } }
}
${[WHO, LINE_COMMENTS].join('\n')}`

const threads = (page: string): string =>
  `reviewThreads(${page}) { ${PAGE} nodes { id isResolved diffSide comments(first: 1) { nodes { fullDatabaseId } } } }`

/** The checks of what stands in merge queues, as far as they have come there, by `n0`, `n1`, …. */
export const queueChecks = (
  count: number,
): string => `query QueueChecks($owner: String!, $name: String!${each(count, (i) => `, $n${i}: Int!`)}) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    ${each(count, (i) => `p${i}: pullRequest(number: $n${i}) { mergeQueueEntry { headCommit { oid statusCheckRollup { ${contexts('first: 50', `$n${i}`)} } } } }\n    `)}
  }
}
${[CHECK_RUN, STATUS].join('\n')}`

/** Why it left the merge queue last, with the checks that it had there. */
export const REMOVED = `query RemovedFromQueue($owner: String!, $name: String!, $number: Int!) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
        nodes {
          ... on RemovedFromMergeQueueEvent {
            createdAt reason actor { ...Who }
            beforeCommit { oid statusCheckRollup { ${contexts('first: 50', '$number')} } }
          }
        }
      }
    }
  }
}
${[WHO, CHECK_RUN, STATUS].join('\n')}`

/** Why auto-merge was turned off last. */
export const DISARMED = `query AutoMergeDisabled($owner: String!, $name: String!, $number: Int!) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      timelineItems(last: 1, itemTypes: [AUTO_MERGE_DISABLED_EVENT]) { nodes { ... on AutoMergeDisabledEvent { createdAt reason actor { ...Who } } } }
    }
  }
}
${WHO}`

/**
 * Conversations and who was asked for a review, of those that have the one or need the other: 22
 * connections each, so that nobody else pays for them.
 */
export const CONVERSATIONS = `query Conversations($ids: [ID!]!) {
  ${LIMIT}
  nodes(ids: $ids) {
    ... on PullRequest {
      id
      ${threads('first: 20')}
      reviewRequests(first: 5) { nodes { asCodeOwner requestedReviewer { ... on Team { combinedSlug } ...Who } } }
    }
  }
}
${WHO}`

export const MORE_THREADS = `query MoreThreads($id: ID!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on PullRequest { ${threads('first: 100, after: $after')} } }
}`

export const MORE_COMMENTS = `query MoreComments($id: ID!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on PullRequest { comments(first: 100, after: $after) { ...Comments } } }
}
${[WHO, COMMENTS].join('\n')}`

export const MORE_CONTEXTS = `query MoreContexts($id: ID!, $number: Int!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on PullRequest { statusCheckRollup { ${contexts('first: 100, after: $after', '$number')} } } }
}
${[CHECK_RUN, STATUS].join('\n')}`

const FOUND = `${PAGE} nodes { number isCrossRepository }`

/** Those of so many heads, as `h0`, `h1`, …, by the variables `h0`, `h1`, …. */
export const ofHeads = (
  count: number,
  { base }: { base: boolean },
): string => `query PullRequestsOfHeads($owner: String!, $name: String!, $states: [PullRequestState!]${base ? ', $base: String' : ''}${each(count, (i) => `, $h${i}: String!`)}) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    ${each(count, (i) => `h${i}: pullRequests(headRefName: $h${i}, ${base ? 'baseRefName: $base, ' : ''}states: $states, first: 30) { ${FOUND} }\n    `)}
  }
}`

/** Whether anything checked the last pull requests into a base. */
export const RECENT = `query RecentPullRequests($owner: String!, $name: String!, $base: String!) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    pullRequests(baseRefName: $base, states: [MERGED, CLOSED], orderBy: { field: CREATED_AT, direction: DESC }, first: 5) {
      nodes { number statusCheckRollup { state } }
    }
  }
}`

/** All of them, or of a base or a head, in pages. */
export const listed = ({
  base,
  head,
}: {
  base: boolean
  head: boolean
}): string => `query PullRequestList($owner: String!, $name: String!, $states: [PullRequestState!], $after: String${base ? ', $base: String' : ''}${head ? ', $head: String' : ''}) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    pullRequests(states: $states, first: 100, after: $after${base ? ', baseRefName: $base' : ''}${head ? ', headRefName: $head' : ''}) { ${FOUND} }
  }
}`

/** How the repository and a branch of it let merge. */
export const MERGE_SETTINGS = `query MergeSettings($owner: String!, $name: String!, $base: String!, $branch: String!) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed
    mergeQueue(branch: $branch) { configuration { mergeMethod } }
    ref(qualifiedName: $base) { refUpdateRule { requiresLinearHistory requiresSignatures } }
  }
}`

/**
 * Every text that is ever sent, the variable ones in their smallest and largest forms: held against
 * GitHub’s schema by a test.
 */
export const QUERIES: readonly string[] = [
  STATES,
  fullLook(1),
  fullLook(25),
  fullLook(25, { states: true }),
  MORE_REVIEWS,
  MORE_LINE_COMMENTS,
  queueChecks(1),
  queueChecks(25),
  REMOVED,
  DISARMED,
  CONVERSATIONS,
  MORE_THREADS,
  MORE_COMMENTS,
  MORE_CONTEXTS,
  RECENT,
  MERGE_SETTINGS,
  ...[false, true].flatMap((base) => [
    ofHeads(1, { base }),
    ofHeads(50, { base }),
    ...[false, true].map((head) => listed({ base, head })),
  ]),
]
