import type { JobSchedulesTable, Tx } from '@flotilla/db';
import type { Selectable } from 'kysely';

export type ScheduleHere = Selectable<JobSchedulesTable>;

/** Schedules of the project by these names, locked. */
export async function findSchedules(
  tx: Tx,
  project: string,
  names: readonly string[],
): Promise<Map<string, ScheduleHere>> {
  if (names.length === 0) return new Map();
  const rows = await tx
    .selectFrom('job_schedules')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', 'in', names)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}
