import type { Tx } from '@flotilla/db';
import { recordAll } from '../../../platform/audit/index.ts';
import { describeRule } from './table.ts';
import type { CommandStatus } from './tables.ts';

/** The columns that the audit entry of an ended command needs, for `returning` clauses. */
export const ENDED_COLUMNS = [
  'id',
  'project_id',
  'client_id',
  'client_name',
  'service_id',
  'type',
  'sub_type',
  'operation',
  'kind',
  'status',
  'error_code',
  'created_by',
] as const;

export interface EndedCommand {
  readonly id: string;
  readonly project_id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly service_id: string | null;
  readonly type: string;
  readonly sub_type: string;
  readonly operation: string;
  readonly kind: 'query' | 'action' | 'desired';
  readonly status: CommandStatus;
  readonly error_code: string | null;
  readonly created_by: string;
}

/** Entries per statement. */
const BATCH = 1000;

/**
 * Records the ends of commands in the transaction that ends them. The actor is the client, or the program if the client
 * did not answer. Questions are not recorded, neither here nor when they are asked.
 */
export async function recordEnds(tx: Tx, commands: readonly EndedCommand[], by: 'client' | 'system', at: Date) {
  const recorded = commands.filter(({ kind }) => kind !== 'query');
  for (let from = 0; from < recorded.length; from += BATCH) {
    await recordAll(
      tx,
      recorded.slice(from, from + BATCH).map((command) => toEntry(command, by, at)),
    );
  }
}

function toEntry(command: EndedCommand, by: 'client' | 'system', at: Date) {
  const { id, project_id, client_id, client_name, service_id, type, sub_type, operation, status, error_code } = command;
  const isDone = status === 'done';
  const name = describeRule({ type, subType: sub_type, operation });
  return {
    at,
    actor:
      by === 'client'
        ? { kind: 'client' as const, id: client_id, name: client_name }
        : { kind: 'system' as const, id: null, name: 'controller' },
    actorRole: undefined,
    projectId: project_id,
    action: 'command.end',
    outcome: isDone ? ('done' as const) : ('failed' as const),
    status: isDone ? 200 : 500,
    ...(error_code !== null && { errorCode: error_code }),
    subject: { type: 'command', id, name, changes: { status, client_id, service_id, created_by: command.created_by } },
  };
}
