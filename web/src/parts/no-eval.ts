import { config } from 'zod'

/**
 * The schemas of events come along with their words. The library of them tries whether it may make
 * code of text, which the page’s policy forbids and reports: it is told not to, before the first
 * schema is made.
 */
config({ jitless: true })
