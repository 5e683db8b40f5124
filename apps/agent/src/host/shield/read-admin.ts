import { callAdmin } from '../envoy/admin-client.ts';
import type { ServiceSocket } from '../service-socket.ts';

/** An endpoint of the filter's admin port, and how to parse its response. */
export interface AdminQuestion<T> {
  readonly path: string;
  readonly timeoutMs: number;
  /** Larger responses are foreign and are not read. */
  readonly maxBytes: number;
  /** Undefined for a malformed response: the filter runs as another user and may be compromised. */
  readonly parse: (answer: unknown) => T | undefined;
}

/** The filter's response; undefined without one, or if it is from an older filter. Does not reject. */
export async function readAdmin<T>(adminSocket: ServiceSocket, question: AdminQuestion<T>): Promise<T | undefined> {
  const { path, parse, ...bounds } = question;
  try {
    const { status, body } = await callAdmin(adminSocket, path, bounds);
    return status === 200 ? parse(JSON.parse(body)) : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
