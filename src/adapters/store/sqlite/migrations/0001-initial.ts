import { type Kysely, CompiledQuery } from 'kysely'

/** All tables of the first version. Columns are named like the fields of store.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  `create table agents (
    seq integer primary key autoincrement,
    id text not null unique,
    name text not null,
    kind text not null,
    runtime text not null,
    role text not null,
    agentCli text,
    parentId text,
    depth integer not null,
    branch text not null,
    baseBranch text,
    forkPoint text,
    worktree text not null,
    ownsWorktree integer not null,
    adopted integer not null,
    paneId text,
    pid integer,
    sessionId text,
    transcript text,
    task text not null,
    state text not null,
    stateReason text,
    stateSource text not null,
    stateAt integer not null,
    outcome text,
    exitCode integer,
    exitSignal text,
    lastSeenAt integer not null,
    tokens integer not null,
    toolCalls integer not null,
    stopObjection text,
    stopBlocks integer not null,
    stopExcuse text,
    rebaseTries integer not null,
    spawnedAt integer not null,
    endedAt integer,
    reapedAt integer,
    tokenHash text not null
  ) strict`,
  'create index agents_by_parent on agents (parentId)',
  'create index agents_by_token on agents (tokenHash)',

  // Autoincrement: a number is never used again, also where the newest events were pruned.
  `create table events (
    seq integer primary key autoincrement,
    type text not null,
    at integer not null,
    agentId text,
    actor text not null,
    why text,
    dedupeKey text,
    payload text not null
  ) strict`,
  'create index events_by_time on events (at)',
  'create index events_by_agent on events (agentId, seq)',
  'create index events_by_type on events (type, seq)',
  // A table of its own, because a key stays known after its event was pruned.
  'create table event_keys (key text primary key) strict, without rowid',

  `create table deliveries (
    seq integer primary key autoincrement,
    id text not null unique,
    recipient text not null,
    eventSeq integer,
    kind text not null,
    text text not null,
    state text not null,
    lane text,
    batch text,
    attempts integer not null,
    createdAt integer not null,
    nextAttemptAt integer not null,
    sentAt integer,
    handedAt integer,
    settledAt integer,
    why text
  ) strict`,
  'create index deliveries_by_state on deliveries (state, recipient, seq)',
  'create index deliveries_by_recipient on deliveries (recipient, seq)',
  'create index deliveries_by_batch on deliveries (batch) where batch is not null',

  `create table mail (
    seq integer primary key autoincrement,
    id text not null unique,
    sender text not null,
    recipient text not null,
    message text not null,
    sentAt integer not null,
    poppedAt integer
  ) strict`,
  'create index mail_waiting on mail (recipient, seq) where poppedAt is null',
  'create index mail_popped on mail (poppedAt) where poppedAt is not null',

  `create table questions (
    seq integer primary key autoincrement,
    id text not null unique,
    agentId text not null,
    message text not null,
    askedAt integer not null,
    answer text,
    answeredBy text,
    answeredAt integer,
    claimedBy text
  ) strict`,
  'create index questions_open on questions (seq) where answer is null',

  `create table journal (
    seq integer primary key autoincrement,
    id text not null unique,
    kind text not null,
    step text not null,
    data text not null,
    state text not null,
    startedAt integer not null
  ) strict`,
  "create index journal_open on journal (seq) where state = 'open'",

  `create table approvals (
    seq integer primary key autoincrement,
    id text not null unique,
    agentId text not null,
    what text not null,
    requestedAt integer not null,
    decision text,
    decidedAt integer,
    reason text
  ) strict`,
  'create index approvals_pending on approvals (seq) where decision is null',

  'create table deadlines (key text primary key, at integer not null, data text not null) strict, without rowid',
  'create index deadlines_by_time on deadlines (at)',
  'create table snapshots (key text primary key, value text not null) strict',

  `create table pulls (
    number integer primary key,
    title text not null,
    body text not null,
    draft integer not null,
    headBranch text not null,
    baseBranch text not null,
    headSha text not null,
    agentId text,
    state text not null,
    mergeSha text,
    mergedBy text,
    mergedHead text,
    createdAt integer not null,
    updatedAt integer not null
  ) strict`,
  'create index pulls_by_head on pulls (headBranch, state)',
  'create index pulls_by_base on pulls (baseBranch, state)',

  `create table reviews (
    id integer primary key autoincrement,
    pull integer not null references pulls (number),
    author text not null,
    state text not null,
    body text not null,
    "commit" text not null,
    submittedAt integer not null
  ) strict`,
  'create index reviews_by_pull on reviews (pull)',

  `create table review_comments (
    id integer primary key autoincrement,
    review integer not null references reviews (id),
    path text not null,
    line integer,
    body text not null
  ) strict`,
  'create index review_comments_by_review on review_comments (review)',

  `create table checks (
    id integer primary key autoincrement,
    pull integer not null references pulls (number),
    name text not null,
    head text not null,
    configHash text not null,
    status text not null,
    exitCode integer,
    logPath text not null,
    startedAt integer,
    finishedAt integer
  ) strict`,
  'create index checks_by_pull on checks (pull)',
  'create index checks_by_head on checks (head)',
]
