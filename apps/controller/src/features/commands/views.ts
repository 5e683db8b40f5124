import type { CommandResultRecord } from '@flotilla/contract';
import { toOutcome } from './model.ts';
import type { CommandRow } from './store.ts';

/** What became of one target since it was told `result`. */
export function advanceResult(result: CommandResultRecord, row: CommandRow | undefined): CommandResultRecord {
  if (!row) return result;
  const { error: _, result: __, ...identity } = result;
  return { ...identity, ...describe(row) };
}

export function toRecord(row: CommandRow) {
  return {
    id: row.id,
    project: row.project_id,
    client_id: row.client_id,
    client_name: row.client_name,
    service_id: row.service_id,
    type: row.type,
    sub_type: row.sub_type,
    operation: row.operation,
    step: row.step,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    deadline_at: row.deadline_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    ...describe(row),
  };
}

function describe(row: CommandRow) {
  const endedAt = row.finished_at ?? new Date();
  return {
    outcome: toOutcome(row.status, row.client_connected),
    duration_ms: Math.max(0, endedAt.getTime() - row.created_at.getTime()),
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? '' } }),
    ...(row.result === null || row.result === undefined ? {} : { result: row.result }),
  };
}
