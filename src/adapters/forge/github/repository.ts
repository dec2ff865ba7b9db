/** Where a repository is on GitHub, GHE.com or an Enterprise Server. */
export interface GithubRepository {
  /** `github.com`, `octo.ghe.com`, `git.example.com`. */
  readonly host: string
  readonly owner: string
  readonly name: string
  /** Without a slash at the end: `https://api.github.com`, `https://git.example.com/api/v3`. */
  readonly apiUrl: string
  /** `https://api.github.com/graphql`, `https://git.example.com/api/graphql`. */
  readonly graphqlUrl: string
}
