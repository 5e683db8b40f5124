import { isDeepStrictEqual } from 'node:util';
import type { RouteContract, Schema } from '@flotilla/contract';
import { AppError, type Violation } from '@flotilla/kit';
import * as z from 'zod';
import type { Reply } from './context.ts';
import { parseInput, type RawInput, refuse } from './validate.ts';

/** A record that is read and written at one address. */
export interface WritableRecord {
  readonly read: RouteContract;
  /** Members that are read but cannot be written. */
  readonly readOnly: Readonly<Record<string, z.core.$ZodType>>;
}

/** Finds the records that can be written, by the contract of the write. */
export function findWritable(contracts: readonly RouteContract[]): ReadonlyMap<RouteContract, WritableRecord> {
  const at = (wanted: RouteContract['method'], place: string) =>
    contracts.find(({ method, path }) => method === wanted && path === place);
  return new Map(
    contracts.flatMap((contract) => {
      const read = contract.method === 'PUT' || contract.method === 'PATCH' ? at('GET', contract.path) : undefined;
      if (!read || !contract.body) return [];
      // A patch that accepts any member has the members of the complete replacement.
      const whole = contract.body instanceof z.ZodObject ? contract.body : at('PUT', contract.path)?.body;
      const written = contract.writes ? [contract.writes] : Object.keys(membersOf(whole));
      const readOnly = Object.entries(membersOf(read.response)).filter(([name]) => !written.includes(name));
      return [[contract, { read, readOnly: Object.fromEntries(readOnly) }] as const];
    }),
  );
}

/**
 * A client that reads a record, changes it and sends it back also sends members that it cannot change. Such a member is
 * dropped if it equals the stored value; one that differs is refused by name. A record that does not exist contradicts
 * nothing. `etag`: the state that was compared, if any; the write requires it.
 */
export async function dropReadOnly(
  contract: RouteContract,
  { read, readOnly }: WritableRecord,
  request: RawInput,
  answer: (input: ReturnType<typeof parseInput>) => Promise<Reply>,
): Promise<{ readonly request: RawInput; readonly etag?: Reply['etag'] }> {
  const { body } = request;
  // The member is sent on its own, not inside its record.
  const isBare = contract.writes !== undefined && !(isRecord(body) && isRecord(body[contract.writes]));
  if (!isRecord(body) || isBare) return { request };
  const sent = Object.keys(body).filter((name) => Object.hasOwn(readOnly, name));
  const stored = sent.length === 0 ? undefined : await readStored(read, request, answer);
  if (stored) refuseChanged(sent.filter((name) => !isAsStored(readOnly[name], body[name], stored.body[name])));
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !sent.includes(name)));
  return { request: { ...request, body: unwrap(contract, rest) }, etag: stored?.etag };
}

/** The same for a part of a record: throws request.invalid if a member of `given` differs from `stored`. */
export function requireReadOnly(given: object, stored: object, prefix: string): void {
  const kept = new Map(Object.entries(stored));
  const changed = Object.entries(given).filter(([name, value]) => !isDeepStrictEqual(value, kept.get(name)));
  refuseChanged(changed.map(([name]) => `${prefix}${name}`));
}

/** undefined if the record does not exist or the caller may not see it; the write reports that itself. */
async function readStored(
  contract: RouteContract,
  { params, query }: RawInput,
  answer: (input: ReturnType<typeof parseInput>) => Promise<Reply>,
): Promise<{ readonly body: Record<string, unknown>; readonly etag: Reply['etag'] } | undefined> {
  const asked = Object.entries(query as object).filter(([name]) => Object.hasOwn(membersOf(contract.query), name));
  try {
    const input = parseInput(contract, { params, query: Object.fromEntries(asked), body: undefined });
    const { body, etag } = await answer(input);
    return { body: JSON.parse(JSON.stringify(body)), etag };
  } catch (error) {
    if (error instanceof AppError && (error.httpStatus === 404 || error.httpStatus === 400)) return undefined;
    throw error;
  }
}

/** Returns the written member; no other member may remain. */
function unwrap({ writes }: RouteContract, body: Record<string, unknown>): unknown {
  if (writes === undefined) return body;
  const { [writes]: written, ...others } = body;
  const unknown = Object.keys(others);
  if (unknown.length > 0)
    throw refuse(unknown.map((path) => ({ path, rule: 'unknown', message: 'is not known here' })));
  return written;
}

/** Whether a member equals the stored value. `observed` members change on their own, so any value is accepted. */
function isAsStored(schema: z.core.$ZodType | undefined, given: unknown, stored: unknown): boolean {
  if (schema === undefined) return isDeepStrictEqual(given, stored);
  if ((schema as Schema).meta()?.observed === true) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return isAsStored(def.innerType, given, stored);
  if (def.type === 'array' && Array.isArray(given) && Array.isArray(stored))
    return given.length === stored.length && given.every((item, i) => isAsStored(def.element, item, stored[i]));
  if (def.type === 'object' && isRecord(given) && isRecord(stored)) {
    const names = new Set([...Object.keys(given), ...Object.keys(stored)]);
    const schemaOf = (name: string) => (Object.hasOwn(def.shape, name) ? def.shape[name] : undefined);
    return [...names].every((name) => isAsStored(schemaOf(name), given[name], stored[name]));
  }
  return isDeepStrictEqual(given, stored);
}

function refuseChanged(paths: readonly string[]): void {
  const message = 'is read-only, and this is not what is stored: leave it out, or read the record again';
  const problems: Violation[] = paths.map((path) => ({ path, rule: 'read_only', message }));
  if (problems.length > 0) throw refuse(problems);
}

function membersOf(schema: Schema | undefined): Readonly<Record<string, z.core.$ZodType>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
