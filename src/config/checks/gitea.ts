import type { SemanticFault } from '../check.ts'
import { isSafeUrl } from '../is-safe-url.ts'
import type { Config } from '../schema.ts'

/** What [forge.gitea] says that can’t be meant: a token in plain sight, no server. */
export function* checkGitea({ forge: { kind, gitea } }: Config): Generator<SemanticFault> {
  const at = (problem: string): SemanticFault => ({ path: ['forge', 'gitea', 'url'], problem })
  if (kind === 'gitea' && gitea.url === undefined)
    yield at(
      'is missing: forge.kind = "gitea" needs the address of the server, such as "https://git.example.com"',
    )
  if (gitea.url !== undefined && !isSafeUrl(gitea.url)) {
    yield at(
      `found ${JSON.stringify(gitea.url)}, over which the token could be read on its way; it begins with https:// (http:// only for this machine)`,
    )
  }
}
