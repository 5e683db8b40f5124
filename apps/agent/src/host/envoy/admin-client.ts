import { request } from 'node:http';
import { type ServiceSocket, withServiceSocket } from '../service-socket.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const LIMIT_BYTES = 64 * 1024 * 1024;
/** A response that arrives byte by byte must be complete after this many times the pause limit. */
const WHOLE_TIMES = 5;

/**
 * One call to an admin endpoint on a Unix socket (Envoy's or the filter's). Rejects if the response pauses for longer
 * than `timeoutMs`, is not complete in time, or is too large: the service may be compromised, and others are queried
 * together with it.
 */
export function callAdmin(socket: ServiceSocket, path: string, options: AdminCallOptions = {}): Promise<AdminAnswer> {
  return withServiceSocket(socket, (socketPath) => call(socketPath, path, options));
}

interface AdminCallOptions {
  readonly method?: 'GET' | 'POST';
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

function call(socketPath: string, path: string, options: AdminCallOptions): Promise<AdminAnswer> {
  const { method = 'GET', timeoutMs = 2_000, maxBytes = LIMIT_BYTES, signal } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, path, method, agent: false, headers: { host: 'localhost' }, ...(signal ? { signal } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= maxBytes) {
            chunks.push(chunk);
            return;
          }
          // Its end may already have arrived, and would look like that of an empty response.
          reject(new Error(`${path} answered more than ${maxBytes} bytes`));
          outgoing.destroy();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    const whole = setTimeout(
      () => outgoing.destroy(new Error(`the answer of ${path} is not complete in time`)),
      WHOLE_TIMES * timeoutMs,
    );
    outgoing.on('close', () => clearTimeout(whole));
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`${path} did not answer within ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Envoy's state word (`LIVE`, `INITIALIZING`, `PRE_INITIALIZING`, `DRAINING`); undefined while its admin does not answer. */
export async function readState(adminSocket: ServiceSocket): Promise<string | undefined> {
  try {
    const { status, body } = await callAdmin(adminSocket, '/ready');
    return status === 200 ? 'LIVE' : body.trim();
  } catch {
    return undefined;
  }
}

/** TCP ports of the active listeners. */
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
