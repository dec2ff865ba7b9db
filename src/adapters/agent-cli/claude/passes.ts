import { NETWORK } from '../network.ts'
import type { ClaudeHome } from './home.ts'

/** Who the person is to Anthropic, and where its API is reached. */
const ALWAYS = [
  'ANTHROPIC_*',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_*',
  'CLAUDE_CODE_SKIP_*',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
  'CLAUDE_CONFIG_DIR',
  'DISABLE_TELEMETRY',
  'DISABLE_ERROR_REPORTING',
  ...NETWORK,
]

/**
 * Of other clouds only where the person said that Claude Code runs there: whatever is passed can be
 * read by the agent.
 */
const CLOUDS = {
  CLAUDE_CODE_USE_BEDROCK: ['AWS_*'],
  CLAUDE_CODE_USE_VERTEX: [
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_*',
    'GCLOUD_PROJECT',
    'CLOUD_ML_REGION',
    'VERTEX_*',
  ],
  CLAUDE_CODE_USE_FOUNDRY: ['AZURE_*'],
} as const

/**
 * Variables of the person’s that Claude Code needs. None of those that describe a session of its
 * own, which the daemon may have been started from.
 */
export const passedVariables = (home: ClaudeHome): string[] => [
  ...ALWAYS,
  ...Object.entries(CLOUDS).flatMap(([choice, names]) =>
    home.variable(choice) === undefined ? [] : names,
  ),
]
