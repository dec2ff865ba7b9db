import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core'
import type { GrammarState, HighlighterCore, LanguageRegistration } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { grammarOf, type Language } from './languages.ts'

/** A part of a line with what it is in its language, a class of diff.css. */
export interface Token {
  readonly length: number
  readonly token?: string | undefined
}

/** Characters: longer lines stay as they are. */
const LONGEST = 500

// The policy of the page allows no WebAssembly: the engine is the browser's own.
let core: Promise<HighlighterCore> | undefined
const loaded = new Map<Language, Promise<void>>()

async function highlighterFor(language: Language): Promise<HighlighterCore> {
  core ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'page', variablePrefix: '--' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await core
  const loading =
    loaded.get(language) ??
    grammarOf(language).then((grammar) =>
      highlighter.loadLanguage(...([grammar.default] as unknown as LanguageRegistration[][])),
    )
  loaded.set(language, loading)
  await loading
  return highlighter
}

/** What lines are, one after the other; `state`: where the lines before them ended. */
export async function tokenize(
  text: string,
  language: Language,
  state: GrammarState | undefined,
): Promise<{ lines: Token[][]; state: GrammarState | undefined }> {
  const highlighter = await highlighterFor(language)
  const { tokens, grammarState } = highlighter.codeToTokens(text, {
    lang: language,
    theme: 'page',
    includeExplanation: false,
    tokenizeMaxLineLength: LONGEST,
    // Of a line: its first ones take long, and on a busy machine what is cut short stays half plain.
    tokenizeTimeLimit: 500,
    ...(state === undefined ? {} : { grammarState: state }),
  })
  return {
    lines: tokens.map((line) =>
      line.map(({ content, color }) => ({ length: content.length, token: classOf(color) })),
    ),
    state: grammarState,
  }
}

/** `var(--token-keyword)` is `token-keyword`; of the rest nothing. */
const classOf = (colour: string | undefined): string | undefined =>
  /^var\(--(token-[a-z-]+)\)$/.exec(colour ?? '')?.[1]
