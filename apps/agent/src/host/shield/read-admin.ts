import { callAdmin } from '../envoy/admin-client.ts';
import type { ServiceSocket } from '../service-socket.ts';

/** An endpoint of the filter's admin socket, and the parser of its response. */
export interface AdminEndpoint<T> {
  readonly path: string;
  readonly timeoutMs: number;
  /** Larger responses are not read, because no genuine filter sends them. */
  readonly maxBytes: number;
  /** Returns undefined for a malformed response. The filter runs as another user and may be compromised. */
  readonly parse: (answer: unknown) => T | undefined;
}

/** Returns the parsed response, or undefined if there is none or an older filter has sent it. Never rejects. */
export async function readAdmin<T>(adminSocket: ServiceSocket, endpoint: AdminEndpoint<T>): Promise<T | undefined> {
  const { path, parse, ...bounds } = endpoint;
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
