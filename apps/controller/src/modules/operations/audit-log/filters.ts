import { type auditRoutes, fail } from '@flotilla/contract';
import type * as z from 'zod';
import type { AuditFilter } from './store.ts';

type Asked = z.output<NonNullable<(typeof auditRoutes.stats)['query']>>;

/**
 * Maps a query to a filter with one name per condition. Throws request.invalid if it uses two names for the same
 * condition.
 */
export function toFilter(asked: Asked, projectId: string | undefined): AuditFilter {
  const { success, start_time: start, end_time: end, project: _, ...filter } = asked;
  refuseBoth(asked, 'success', 'outcome');
  refuseBoth(asked, 'start_time', 'from');
  refuseBoth(asked, 'end_time', 'to');
  return {
    ...filter,
    projectId,
    ...(success !== undefined && { outcome: success ? ['done'] : ['denied', 'failed'] }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
  };
}

function refuseBoth(asked: Asked, path: keyof Asked, other: keyof Asked): void {
  if (asked[path] === undefined || asked[other] === undefined) return;
  const message = `say either ${path} or ${other}`;
  throw fail('request.invalid', { reason: message }, { details: [{ path, rule: 'invalid', message }] });
}
