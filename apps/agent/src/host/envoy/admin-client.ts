import { request } from 'node:http';
import { type ServiceSocket, withServiceSocket } from '../service-socket.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const LIMIT_BYTES = 64 * 1024 * 1024;
/** A response must be complete after this multiple of `timeoutMs`, even if it never pauses for that long. */
const WHOLE_TIMES = 5;

/**
 * Calls an admin endpoint of Envoy or the filter on a Unix socket. Rejects if the response pauses for longer than `timeoutMs`,
 * is not complete in time, or is too large. The service may be compromised, and it must not delay the queries of others.
 */
export async function callAdmin(
  socket: ServiceSocket,
  path: string,
  options: AdminCallOptions = {},
): Promise<AdminAnswer> {
  const chunks: Buffer[] = [];
  const status = await streamAdmin(socket, path, options, (chunk) => chunks.push(chunk));
  return { status, body: Buffer.concat(chunks).toString() };
}

/** Does the same, but passes the response on in parts. Resolves with its status. Rejects if `take` throws. */
export function streamAdmin(
  socket: ServiceSocket,
  path: string,
  options: AdminCallOptions,
  take: (chunk: Buffer) => void,
): Promise<number> {
  return withServiceSocket(socket, (socketPath) => stream({ socketPath, path, options, take }));
}

interface AdminCallOptions {
  readonly method?: 'GET' | 'POST';
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

interface AdminCall {
  readonly socketPath: string;
  readonly path: string;
  readonly options: AdminCallOptions;
  readonly take: (chunk: Buffer) => void;
}

function stream({ socketPath, path, options, take }: AdminCall): Promise<number> {
  const { method = 'GET', timeoutMs = 2_000, maxBytes = LIMIT_BYTES, signal } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, path, method, agent: false, headers: { host: 'localhost' }, ...(signal ? { signal } : {}) },
      (response) => {
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= maxBytes) {
            try {
              take(chunk);
            } catch (error) {
              outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
              reject(error);
            }
            return;
          }
          // The end may already have arrived and would resolve with an incomplete body.
          reject(new Error(`the answer of ${path} is larger than ${maxBytes} bytes`));
          outgoing.destroy();
        });
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      },
    );
    const whole = setTimeout(
      () => outgoing.destroy(new Error(`the answer of ${path} was not complete within ${WHOLE_TIMES * timeoutMs} ms`)),
      WHOLE_TIMES * timeoutMs,
    );
    outgoing.on('close', () => clearTimeout(whole));
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`${path} did not answer within ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Returns Envoy's state (`LIVE`, `INITIALIZING`, `PRE_INITIALIZING`, `DRAINING`), or undefined if its admin endpoint does not answer. */
export async function readState(adminSocket: ServiceSocket): Promise<string | undefined> {
  try {
    const { status, body } = await callAdmin(adminSocket, '/ready');
    return status === 200 ? 'LIVE' : body.trim();
  } catch {
    return undefined;
  }
}

/** Returns the TCP ports of the active listeners. */
export async function readListenerPorts(adminSocket: ServiceSocket): Promise<number[]> {
  try {
    const { body } = await callAdmin(adminSocket, '/listeners?format=json');
    const parsed = JSON.parse(body) as { listener_statuses?: Array<ListenerStatus> };
    return (parsed.listener_statuses ?? []).flatMap((one) =>
      [one.local_address, ...(one.additional_local_addresses ?? [])].flatMap(
        (a) => a?.socket_address?.port_value ?? [],
      ),
    );
  } catch {
    return [];
  }
}

interface ListenerStatus {
  readonly local_address?: Address;
  readonly additional_local_addresses?: readonly Address[];
}
interface Address {
  readonly socket_address?: { readonly port_value?: number };
}
