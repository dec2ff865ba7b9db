import type { Notice } from '../target.ts'

/** A request that a service takes a notification by: its JSON goes to `url` by POST. */
export interface Post {
  readonly url: string
  readonly json: object
}

/** How one service wants it; `url` is what the person was given by it. */
export type Preset = (notice: Notice, url: URL) => Post
