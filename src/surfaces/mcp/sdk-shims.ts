import process from 'node:process'

/**
 * Stands in the bundle for the MCP SDK’s own `_shims`, which bring a JSON Schema validator of 280
 * kB that is made for elicitation alone and never used here (server.ts gives another): 1 MB less in
 * the daemon.
 */
export function DefaultJsonSchemaValidator(): never {
  throw new Error('nothing is elicited')
}
export { process }
