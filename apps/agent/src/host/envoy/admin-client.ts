import { request } from 'node:http';

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const LIMIT_BYTES = 64 * 1024 * 1024;

/** One call to an admin endpoint on a Unix socket (Envoy's or the filter's). Rejects when nobody answers in time. */
export function callAdmin(
  socketPath: string,
  path: string,
  options: { method?: 'GET' | 'POST'; timeoutMs?: number; maxBytes?: number; signal?: AbortSignal } = {},
): Promise<AdminAnswer> {
  const { method = 'GET', timeoutMs = 2_000, maxBytes = LIMIT_BYTES, signal } = options;
  return new Promise((resolve, reject) => {
    const call = request(
      { socketPath, path, method, agent: false, headers: { host: 'localhost' }, ...(signal ? { signal } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) call.destroy(new Error(`${path} answered more than ${maxBytes} bytes`));
          else chunks.push(chunk);
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    call.setTimeout(timeoutMs, () => call.destroy(new Error(`${path} did not answer within ${timeoutMs} ms`)));
    call.on('error', reject);
    call.end();
  });
}

/** Envoy's state word (`LIVE`, `INITIALIZING`, `PRE_INITIALIZING`, `DRAINING`); undefined while its admin does not answer. */
export async function readState(adminSocket: string): Promise<string | undefined> {
  try {
    const { status, body } = await callAdmin(adminSocket, '/ready');
    return status === 200 ? 'LIVE' : body.trim();
  } catch {
    return undefined;
  }
}

/** TCP ports of the active listeners. */
export async function readListenerPorts(adminSocket: string): Promise<number[]> {
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
