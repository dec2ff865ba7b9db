/** The page of this daemon (surfaces/web), as the tool `web` asks for it. */
export interface Page {
  /**
   * Serves the page where it isn’t served yet, and makes a link to it that lets one browser in,
   * once. NOT_AVAILABLE where the port that is asked for can’t be had.
   */
  open(wanted: {
    readonly port?: number | undefined
    readonly readOnly: boolean
  }): Promise<{ url: string; expires_at: string }>
}
