import process from 'node:process'

/** This process’s environment, whole. */
export function readVariables(): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {}
  for (const [key, value] of Object.entries(process.env))
    if (value !== undefined) variables[key] = value
  return variables
}
