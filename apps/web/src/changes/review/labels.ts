import { texts } from '../texts.tsx';

export const beforeNothing = texts.review.changes.beforeNothing;

export function beforeRevision(revision: number): string {
  return texts.review.changes.before(revision);
}
