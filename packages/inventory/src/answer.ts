/**
 * The evidence that an answer gives about a path.
 * answered  the path exists
 * missing   it does not, or the object does not
 * refused   the proxy or the application looked at the client first: this says nothing
 */
export type Answer = 'answered' | 'missing' | 'refused';

export interface AnswerFacts {
  /** Zero if the client left before an answer. */
  readonly status: number;
  /** False if the proxy found no route. */
  readonly isRouted: boolean;
}

const MISSING = new Set([404, 405, 410, 501]);
const REFUSED = new Set([0, 400, 401, 403, 407, 414, 421, 426, 429, 431, 503]);

export function classifyAnswer({ status, isRouted }: AnswerFacts): Answer {
  if (!isRouted || MISSING.has(status)) return 'missing';
  return REFUSED.has(status) ? 'refused' : 'answered';
}
