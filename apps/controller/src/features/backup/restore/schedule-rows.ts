import { nameSchema } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import { findNextRun } from '../../jobs/index.ts';
import type { BackupRow } from '../sealed.ts';
import { check, failTampered, id, parseOpen } from './check.ts';
import type { Restorable } from './content.ts';

export interface RestorableSchedule {
  readonly name: string;
  readonly type: string;
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Secret ones among them. Ids in them are those of the backup. */
  readonly params: Readonly<Record<string, unknown>>;
}

const members = z.record(z.string(), z.json());
const scheduleRow = z.looseObject({
  id,
  name: nameSchema,
  type: z.string().max(256),
  cron: z.string().min(1).max(128),
  time_zone: z.string().min(1).max(64),
  params: members,
  params_sealed: z.base64().nullable(),
});

/** What the clock started, and nothing of whose rights it had: whoever restores it answers for it. */
export function readSchedule(row: BackupRow): Restorable<RestorableSchedule> {
  const { id: from, name, type, cron, time_zone: timeZone, params, params_sealed: sealed } = check(scheduleRow, row);
  const secrets = sealed === null ? {} : check(members, parseOpen(sealed));
  requireReadable({ cron, timeZone });
  return { from, body: { name, type, cron, timeZone, params: { ...params, ...secrets } } };
}

function requireReadable(rule: Parameters<typeof findNextRun>[0]): void {
  try {
    findNextRun(rule, new Date());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw failTampered(error.message);
  }
}
