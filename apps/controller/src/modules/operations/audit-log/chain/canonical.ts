import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** The name of the chain of entries without a project. */
export const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/** An entry as PostgreSQL prints it: the stored value is hashed, not the sent one. Times in microseconds, UTC. */
export interface StoredEntry {
  readonly id: string;
  readonly at: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly actor_role: string | null;
  readonly project_id: string | null;
  readonly action: string;
  readonly resource_type: string | null;
  readonly resource_id: string | null;
  readonly resource_name: string | null;
  readonly outcome: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly client_ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
  /** jsonb as text. */
  readonly changes: string | null;
}

/** Sorted: the order of members in the hashed text. */
export const ENTRY_FIELDS = [
  'action',
  'actor_id',
  'actor_kind',
  'actor_name',
  'actor_role',
  'at',
  'changes',
  'client_ip',
  'error_code',
  'id',
  'method',
  'outcome',
  'path',
  'project_id',
  'request_id',
  'resource_id',
  'resource_name',
  'resource_type',
  'status',
  'user_agent',
] as const satisfies readonly (keyof StoredEntry)[];

/** SHA-256 over JSON with these members in this order. */
export function hashEntry(entry: StoredEntry): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(ENTRY_FIELDS.map((field) => [field, entry[field]])))
    .digest();
}

/** The hash before the first link of a chain. */
export const NO_HASH: Buffer = Buffer.alloc(32);

/** SHA-256 over the chain's name, the previous hash, the number (64 bits, big endian) and the entry's hash. */
export function hashLink(projectKey: string, before: Buffer, seq: number, entryHash: Buffer): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(seq));
  return createHash('sha256').update(projectKey).update(before).update(number).update(entryHash).digest();
}
