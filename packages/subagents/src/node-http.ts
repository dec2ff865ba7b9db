/**
 * `node:http`, without undici: an `import` reads all exports of a built-in module, and one of them
 * loads that whole HTTP client, which costs each process 30 ms and 14 MB. Types are imported as
 * ever.
 */
export const { createServer, request } = process.getBuiltinModule('node:http')
