import type { FindingBulkAnswer } from '@flotilla/contract';
import { useEffect, useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ACCEPT_DAYS, type Asked, NOBODY, toChange, toDate } from './change-model.ts';

const DAY_MS = 86_400_000;

interface Counted {
  readonly answer?: FindingBulkAnswer;
  readonly error?: unknown;
}

/** Runs a change without an effect, once, to count what it would change. The reason and the date make no difference to the number. */
export function useDryRun({ select, to }: Asked): Counted {
  const project = useProject();
  const [counted, setCounted] = useState<Counted>({});
  useEffect(() => {
    const change = toChange(to, { note: '-', until: toDate(Date.now() + ACCEPT_DAYS * DAY_MS), owner: NOBODY });
    if (change === undefined) return undefined;
    let isCurrent = true;
    const input = { query: { project: project.id, dry_run: 'true' as const }, body: { select, change } };
    call(routes.finding.changeMany, input).then(
      ({ body }) => isCurrent && setCounted({ answer: body }),
      (error: unknown) => isCurrent && setCounted({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [project.id, select, to]);
  return counted;
}
