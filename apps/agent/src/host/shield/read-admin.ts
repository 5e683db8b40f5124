import { callAdmin } from '../envoy/admin-client.ts';

/** An endpoint of the filter's admin port, and what its answer means. */
export interface AdminQuestion<T> {
  readonly path: string;
  readonly timeoutMs: number;
  /** One that says more is not ours and is not listened to. */
  readonly maxBytes?: number;
  /** Undefined for what has not the right form: the filter runs as another user and may have been taken over. */
  readonly parse: (answer: unknown) => T | undefined;
}

/** What the filter answers; undefined when it does not answer, or answers as an older one would. Does not reject. */
export async function readAdmin<T>(adminSocket: string, question: AdminQuestion<T>): Promise<T | undefined> {
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
