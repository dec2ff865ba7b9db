/**
 * Before anything else: the events’ schemas would try whether they may compile code of their own,
 * which the page’s policy refuses and reports.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
