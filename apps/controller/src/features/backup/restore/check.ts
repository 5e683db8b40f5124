import { Buffer } from 'node:buffer';
import { failBackup } from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';
import * as z from 'zod';

export const id = z.uuid();
/** Secret values of a resource, open. */
export const partsSchema = z.array(z.strictObject({ path: z.string().max(4096), value: z.json() }));

/** Signed or not: what a row says is taken as little on trust as what a request says. */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw failTampered(`${first?.path.join('.')} ${first?.message}`);
}

/** JSON that lies open in base64. What it holds is never told. */
export function parseOpen(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString());
  } catch {
    throw failTampered('a secret that is not JSON');
  }
}

export function failTampered(what: string): AppError {
  return failBackup('backup.tampered', { reason: `it holds a record that nobody can have written: ${what}` });
}
