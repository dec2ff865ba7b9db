import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slugOf } from '../generator/slug.ts'
import { SIDEBAR } from './sidebar.ts'

const top = join(import.meta.dirname, '..', '..')
const { repository } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
  repository?: { url: string }
}
/** Where files of the repository that are no pages can be read; empty where nobody said. */
const source = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '') ?? ''

/** What is used here of markdown-it: the site's own packages are no part of what is type-checked. */
interface MarkdownIt {
  readonly core: { readonly ruler: { push(name: string, rule: (state: Page) => void): void } }
}
interface Page {
  readonly tokens: readonly { readonly children: readonly Token[] | null }[]
  readonly env: { readonly relativePath: string }
}
interface Token {
  readonly type: string
  attrGet(name: 'href'): string | null
  attrSet(name: 'href', value: string): void
}

/**
 * The documentation as a site: `npm run docs:site` writes it to docs/.vitepress/dist, and fails at a
 * link that leads nowhere. The same files are read in the repository as they are: links are relative
 * and end in `.md`, and headings have the anchors that GitHub gives them.
 */
export default {
  title: 'exomonad',
  description: 'A tree of coding agents on a tree of git branches',
  lang: 'en',
  cleanUrls: true,
  lastUpdated: false,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: slugOf },
    // Files of the repository that are no pages are read where it lies.
    config: (markdown: MarkdownIt) => {
      markdown.core.ruler.push('links_out_of_docs', ({ tokens, env }) => {
        const depth = env.relativePath.split('/').length
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          const href = link.type === 'link_open' ? link.attrGet('href') : null
          if (href === null || !href.startsWith('../'.repeat(depth))) continue
          // Without an address there is nothing to lead to.
          link.attrSet('href', source === '' ? '#' : `${source}/blob/main/${href.slice(3 * depth)}`)
        }
      })
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    sidebar: SIDEBAR,
    nav: [
      { text: 'Start', link: '/guide' },
      { text: 'Reference', link: '/reference' },
      { text: 'When something is off', link: '/troubleshooting' },
    ],
    ...(source === '' ? {} : { socialLinks: [{ icon: 'github', link: source }] }),
  },
}
