const LEADS_OUT = /^\/|(?:^|\/)\.\.(?:\/|$)|^(?:\.\/?)*$|(?:^|\/)\.git(?:\/|$)|\0/

/** Whether a path is one below the folder that it is relative to, and not git’s own. */
export const isPlaceWithin = (path: string): boolean => !LEADS_OUT.test(path)
