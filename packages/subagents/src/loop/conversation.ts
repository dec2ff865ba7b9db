export interface ConversationMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Of a tool’s output. */
  readonly toolName?: string
}

/** What was said, in order. In memory alone; keep `messages` to keep it. */
export interface Conversation {
  readonly systemPrompt: string | undefined
  setSystemPrompt(prompt: string | undefined): void
  addUser(content: string): void
  /** Nothing for empty text. */
  addAssistant(content: string): void
  addToolResult(toolName: string, content: string): void
  /** A copy; its entries are frozen. */
  readonly messages: readonly ConversationMessage[]
  readonly messageCount: number
  /** Forgets all messages; the agent’s session, if there is one, remembers. */
  clear(): void
}

export interface ConversationOptions {
  readonly systemPrompt?: string | undefined
  /** To begin with, in order. */
  readonly messages?: readonly ConversationMessage[] | undefined
}

export function createConversation(options: ConversationOptions = {}): Conversation {
  let systemPrompt = options.systemPrompt
  const messages: ConversationMessage[] = []
  const add = (message: ConversationMessage): void =>
    void messages.push(Object.freeze({ ...message }))
  options.messages?.forEach(add)
  return Object.freeze({
    get systemPrompt() {
      return systemPrompt
    },
    setSystemPrompt: (prompt: string | undefined) => void (systemPrompt = prompt),
    addUser: (content: string) => add({ role: 'user', content }),
    addAssistant: (content: string) => {
      if (content !== '') add({ role: 'assistant', content })
    },
    addToolResult: (toolName: string, content: string) => add({ role: 'tool', content, toolName }),
    get messages() {
      return [...messages]
    },
    get messageCount() {
      return messages.length
    },
    clear: () => void messages.splice(0),
  })
}
