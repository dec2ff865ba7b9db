import { z } from 'zod'

/** `[forge.github]` in `.exomonad/config.toml`. */
export const githubSchema = z
  .strictObject({
    remote: z
      .string()
      .optional()
      .describe(
        'The git remote. Default: origin where it is on GitHub, else the only one that is. Read when the daemon starts.',
      ),
    host: z
      .string()
      .optional()
      .describe(
        'Where the remote’s URL doesn’t say, such as an ssh alias. Default: the remote’s host.',
      ),
    repository: z
      .string()
      .regex(/^[^/\s]+\/[^/\s]+$/, 'OWNER/NAME')
      .optional()
      .describe('OWNER/NAME, where the remote’s URL doesn’t say.'),
    api_url: z.url().optional().describe('Of the REST API. Default: by the host.'),
    graphql_url: z.url().optional().describe('Of the GraphQL API. Default: by the host.'),
    token_file: z
      .string()
      .optional()
      .describe(
        'A file with the token alone. Default: GH_TOKEN, then GITHUB_TOKEN (GH_ENTERPRISE_TOKEN on other hosts), then `gh auth token`.',
      ),
    app_id: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(
        'A GitHub App that speaks for the tree, by the id in its settings. Its tokens renew themselves; where it is set, it alone counts. Read when the daemon starts.',
      ),
    app_key_file: z
      .string()
      .optional()
      .describe('A file with the app’s private key. Required with app_id.'),
    app_installation_id: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Of the app. Default: the one that the repository is in.'),
    trusted_bots: z
      .array(z.string())
      .default([])
      .describe(
        'Logins of bots whose words may reach agents, such as "dependabot[bot]". Copilot’s may where it was asked for a review.',
      ),
    copilot_review: z
      .boolean()
      .default(true)
      .describe(
        'Ask Copilot to review each pull request that is filed and not a draft. Where it can’t be had, the root is told once.',
      ),
    spawn_label: z
      .string()
      .regex(/^[^,\s](?:[^,]*[^,\s])?$/, 'the name of a label, without a comma')
      .optional()
      .describe(
        'Open issues with this label get a worker each, below the root. Only where somebody who may write to the repository set it. Default: none.',
      ),
    status_comment: z
      .boolean()
      .default(false)
      .describe(
        'Keep one comment on the root’s pull request: the tree below it, with states and links. Off by default: it is written under your account, where others read.',
      ),
    delete_branch: z
      .boolean()
      .default(false)
      .describe('Delete the head branch on GitHub after a merge, once nothing is based on it.'),
    reserve: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.2)
      .describe('Share of the rate limit that is left to you and your other tools.'),
    checks_expected_within: z
      .number()
      .min(0)
      .default(180)
      .describe(
        'A head that no check has begun on is pending for so long where the last pull requests into its base had checks, or a workflow runs for it. Then it counts as unchecked. 0: it does at once. Seconds.',
      ),
    webhook_port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe(
        'Take GitHub’s webhooks here; they only make exomonad look sooner. Default: none. Read when the daemon starts.',
      ),
    webhook_host: z
      .string()
      .default('127.0.0.1')
      .describe(
        'Where webhooks are listened for. Other than loopback only behind TLS of your own.',
      ),
    webhook_secret_file: z
      .string()
      .optional()
      .describe('A file with the webhook’s secret alone. Required with webhook_port.'),
  })
  .prefault({})
