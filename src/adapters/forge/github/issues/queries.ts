/**
 * All GraphQL that issues are read with: each call is one point, whatever it finds. `owner` and
 * `name` come with the client.
 */

const LIMIT = 'rateLimit { cost limit remaining resetAt }'
const WHO = 'fragment Who on Actor { __typename login }'
const COMMENTS = `
  fragment Comments on IssueCommentConnection {
    pageInfo { hasNextPage endCursor }
    nodes { fullDatabaseId body author { ...Who } authorAssociation createdAt }
  }`

/**
 * An issue with its comments and with who labelled and renamed it, all of one moment. The last
 * hundred of those are enough: more are nobody’s work.
 */
export const ISSUE = `query Issue($owner: String!, $name: String!, $number: Int!) {
  ${LIMIT}
  repository(owner: $owner, name: $name) {
    id
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue {
        id number url title body state author { ...Who } authorAssociation lastEditedAt editor { ...Who } repository { id }
        labels(first: 100) { nodes { name } }
        comments(first: 100) { ...Comments }
        timelineItems(last: 100, itemTypes: [LABELED_EVENT, RENAMED_TITLE_EVENT]) {
          nodes {
            __typename
            ... on LabeledEvent { createdAt actor { ...Who } label { name } }
            ... on RenamedTitleEvent { createdAt actor { ...Who } }
          }
        }
      }
    }
  }
}
${[WHO, COMMENTS].join('\n')}`

export const MORE_ISSUE_COMMENTS = `query MoreIssueComments($id: ID!, $after: String!) {
  ${LIMIT}
  node(id: $id) { ... on Issue { comments(first: 100, after: $after) { ...Comments } } }
}
${[WHO, COMMENTS].join('\n')}`
