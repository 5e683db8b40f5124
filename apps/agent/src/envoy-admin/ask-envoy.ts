import { toErrorMessage } from '@flotilla/kit';
import { type AdminCall, toAdminTarget } from '@flotilla/proto/commands';
import { streamAdmin } from '../host/envoy/admin-client.ts';
import type { ServiceSocket } from '../host/service-socket.ts';
import { parseAdminBody } from './parse-body.ts';
import { redactDump, TooDeepError } from './redact.ts';
import { redactText } from './redact-text.ts';

/** Envoy indents its JSON, so the result is about half as long. */
export const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
const REASON_MAX = 500;
/** They answer with JSON only if it is requested. */
const TEXT_BY_DEFAULT: ReadonlySet<string> = new Set(['/clusters', '/listeners', '/stats']);

export interface AdminResult {
  readonly path: string;
  readonly statusCode: number;
  /** Without secrets. */
  readonly body: unknown;
}

/** A call without a usable answer. `code` and the message are for the caller of the command. */
export class AdminCallError extends Error {
  readonly code: 'proxy.body_too_large' | 'proxy.refused' | 'proxy.unreadable' | 'proxy.unreachable';

  constructor(code: AdminCallError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export type AdminRequest = Pick<AdminCall, 'method' | 'queries'> & { readonly path: string };

/** Calls Envoy's admin interface and reads at most 4 MiB. Throws AdminCallError, or the reason of `signal`. */
export async function askEnvoy(
  socket: ServiceSocket,
  request: AdminRequest,
  signal: AbortSignal,
): Promise<AdminResult> {
  const { path, method } = request;
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw tooLarge(path, ANSWER_MAX_BYTES);
    chunks.push(chunk);
  };
  const queries = TEXT_BY_DEFAULT.has(path) ? [...request.queries, ['format', 'json'] as const] : request.queries;
  // The caller's signal limits the whole call.
  const options = { method, signal, timeoutMs: 60_000 };
  let statusCode: number;
  try {
    statusCode = await streamAdmin(socket, toAdminTarget({ path, queries }), options, take);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof AdminCallError) throw error;
    throw new AdminCallError('proxy.unreachable', `Envoy does not answer ${path}: ${toErrorMessage(error)}`);
  }
  const text = Buffer.concat(chunks).toString();
  if (!isAccepted(path, statusCode, text)) {
    const reason = redactText(text.slice(0, REASON_MAX)).trim();
    throw new AdminCallError('proxy.refused', `Envoy refuses ${path} with status ${statusCode}: ${reason}`);
  }
  return { path, statusCode, body: readBody(path, text) };
}

export function tooLarge(path: string, most: number): AdminCallError {
  const advice = 'narrow the request, for example with filter, resource, name_regex or parts';
  return new AdminCallError('proxy.body_too_large', `the answer of ${path} is larger than ${most} bytes; ${advice}`);
}

/** An Envoy that is not live answers /ready with 503, and one that does not know a logger with 200 and an error. */
function isAccepted(path: string, statusCode: number, text: string): boolean {
  if (path === '/ready' && statusCode === 503) return true;
  return statusCode >= 200 && statusCode < 300 && !text.startsWith('error:');
}

function readBody(path: string, text: string): unknown {
  try {
    return redactDump(parseAdminBody(path, text));
  } catch (error) {
    const reason = error instanceof TooDeepError ? error.message : 'it is not in the form that is expected';
    throw new AdminCallError('proxy.unreadable', `the answer of ${path} cannot be used: ${reason}`);
  }
}
