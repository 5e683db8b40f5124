import { createHash } from 'node:crypto';
import type { OperationKey } from './operation-delta.ts';

const DIGITS = 16;

/** The id of an operation in the catalogue and in its events: 16 hexadecimal digits. No two projects share one, because it covers the project. */
export function toOperationId(project: string, { method, host, normalizedPath, operation }: OperationKey): string {
  const text = JSON.stringify([project, method, host, normalizedPath, operation]);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}
