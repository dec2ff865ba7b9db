import type { TextGate } from '../../sanitize/text-gate.ts'
import type { Forge } from './forge.ts'

/**
 * A forge with the text gate in front: nothing is published that must not be, and nothing read from
 * it brings control characters or secrets along. Paths and names of branches, which are looked up
 * by them, stay; a diff is made safe by who shows it.
 */
export function guardForge(forge: Forge, gate: TextGate): Forge {
  /** Of a check that is shown by another name than the forge looks it up by. */
  const ownName = async (number: number, name: string): Promise<string> => {
    const [read] = await forge.snapshots([number])
    const names =
      read !== undefined && 'snapshot' in read
        ? read.snapshot.checks.map((check) => check.name)
        : []
    return names.includes(name) ? name : (names.find((own) => gate.text(own) === name) ?? name)
  }

  const { issues, scheduled } = forge
  return {
    ...forge,
    issues: issues && {
      ...issues,
      read: async (number, label) => gate.data(await issues.read(number, label)),
      comment: (options) => issues.comment({ ...options, body: gate.text(options.body) }),
    },
    scheduled: scheduled && {
      ...scheduled,
      cancelled: async (number, kind) => gate.data(await scheduled.cancelled(number, kind)),
    },
    file: (options) =>
      forge.file({ ...options, title: gate.text(options.title), body: gate.text(options.body) }),
    merge: ({ message, ...options }) =>
      forge.merge({
        ...options,
        ...(message === undefined ? {} : { message: gate.text(message) }),
      }),
    review: ({ comments, ...options }) =>
      forge.review({
        ...options,
        body: gate.text(options.body),
        comments: comments.map((comment) => ({ ...comment, body: gate.text(comment.body) })),
      }),
    reply: (options) => forge.reply({ ...options, body: gate.text(options.body) }),
    snapshots: async (numbers) =>
      (await forge.snapshots(numbers)).map((result) =>
        'snapshot' in result
          ? {
              ...result,
              snapshot: {
                ...gate.data(result.snapshot),
                head: result.snapshot.head,
                base: result.snapshot.base,
                conflictFiles: result.snapshot.conflictFiles,
              },
            }
          : result,
      ),
    commits: async (number) => gate.data(await forge.commits(number)),
    checkLog: async (number, name) =>
      gate.text(await forge.checkLog(number, await ownName(number, name))),
  }
}
