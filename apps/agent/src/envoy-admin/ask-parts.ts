import { ENVOY_PARTS, type EnvoyPart } from '@flotilla/proto/commands';
import type { ServiceSocket } from '../host/index.ts';
import { AdminCallError, type AdminResult, askEnvoy, tooLarge } from './ask-envoy.ts';

/** Answers the pseudo path `/envoy`: each part in turn, so that Envoy is asked for one thing at a time. */
export async function askParts(
  socket: ServiceSocket,
  { parts, mostBytes }: { readonly parts: readonly EnvoyPart[]; readonly mostBytes: number },
  signal: AbortSignal,
): Promise<AdminResult> {
  const body: Record<string, unknown> = {};
  let left = mostBytes;
  for (const part of parts) {
    const answer = await askPart(socket, part, signal);
    const size = Buffer.byteLength(JSON.stringify(answer));
    body[part] = size <= left ? answer : toPartError(tooLarge(`/${part}`, left));
    if (size <= left) left -= size;
  }
  return { path: '/envoy', statusCode: 200, body };
}

/** The parts that `queries.parts` lists; all of them without it. */
export function readParts(queries: ReadonlyArray<readonly [string, string]>): readonly EnvoyPart[] {
  const asked = new Map(queries).get('parts')?.split(',');
  return asked ? ENVOY_PARTS.filter((part) => asked.includes(part)) : ENVOY_PARTS;
}

/** A part that fails hides no other, unless time is up. */
async function askPart(socket: ServiceSocket, part: EnvoyPart, signal: AbortSignal): Promise<unknown> {
  // Without a parameter, /logging only lists the levels. Envoy still requires POST.
  const method = part === 'logging' ? 'POST' : 'GET';
  const queries = part === 'stats' ? [['usedonly', 'true'] as const] : [];
  try {
    return (await askEnvoy(socket, { path: `/${part}`, method, queries }, signal)).body;
  } catch (error) {
    if (error instanceof AdminCallError) return toPartError(error);
    throw error;
  }
}

function toPartError({ code, message }: AdminCallError) {
  return { error: { code, message } };
}
