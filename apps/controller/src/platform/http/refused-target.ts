/** The target of a refused request, for the audit log and never for the answer. */
export interface RefusedTarget {
  readonly projectId: string;
  /** The caller's role there, if it has one. */
  readonly role?: string;
  /** The answer is "not found"; the entry is written after it, so that the response time reveals nothing. */
  readonly hidden?: boolean;
}
