/** How a person is told what needs them, outside exomonad. */
export interface Notifications {
  /**
   * Sends a test to all targets of [notify], or to one, each with one attempt. INVALID_ARG for one
   * that there isn’t, NOT_AVAILABLE without any, UNTRUSTED_CONFIG.
   */
  test(target?: string): Promise<{
    answers: { target: string; kind: string; ok: boolean; answer: string }[]
  }>
}
