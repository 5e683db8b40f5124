import { Buffer } from 'node:buffer';
import type { RouteContract } from '@flotilla/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from './actor.ts';
import { findTextMember } from './json-member.ts';
import { LARGE_FROM_BYTES, LargeBody } from './large-body.ts';

/** A request as plain data, to be sent to another process of the controller. */
export interface RelayedRequest {
  readonly id: string;
  readonly method: RouteContract['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
  readonly body: Uint8Array | undefined;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
}

/** Answers requests in another process in the same way. */
export interface Relay {
  /** Reserves one of the caller's few slots; the returned function releases it. Throws request.too_many_large. */
  reserve(caller: string): () => void;
  /** `party`: the unit of fair scheduling. */
  answer(request: RelayedRequest, party: string): Promise<RelayedAnswer>;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Headers of the connection, or known only to the process that sends the answer. */
const OF_THE_CONNECTION = ['connection', 'content-length', 'date', 'expect', 'keep-alive', 'transfer-encoding'];

/**
 * Reserves a slot before a body is read that is large or may be. This also bounds the memory that a caller can occupy.
 */
export function reserveForBody(relay: Relay, actor: Actor, { request, reply }: Exchange): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || Number(length) > LARGE_FROM_BYTES) reserve(relay, actor, { request, reply });
}

/** Holds the slot until the answer is sent or the caller disconnects. */
function reserve(relay: Relay, actor: Actor, { request, reply }: Exchange): void {
  const release = relay.reserve(actor.kind === 'anonymous' ? request.ip : `${actor.kind}:${actor.id}`);
  request.hasPlace = true;
  reply.raw.once('finish', release).once('close', release);
}

/**
 * Removes a large body from the request and leaves the project in its place, which is all that the guard needs. If
 * `isReadable` is false, the project was not found, and the process that parses the body reports the error.
 */
export function takeLargeBody(
  { project: rule }: RouteContract,
  request: FastifyRequest,
): { readonly bytes: Buffer; readonly isReadable: boolean } | undefined {
  if (!(request.body instanceof LargeBody)) return undefined;
  const { bytes } = request.body;
  const project = rule === 'body' ? findTextMember(bytes, 'project') : undefined;
  request.body = { project };
  const isNamed = project !== undefined || Object.hasOwn(request.query as object, 'project');
  return { bytes, isReadable: rule !== 'body' || isNamed };
}

/** Sends the request to another process and sends its answer to the caller. */
export async function relayRequest(
  relay: Relay,
  { request, reply }: Exchange,
  body: Buffer | undefined,
): Promise<FastifyReply> {
  const { actor = { kind: 'anonymous' }, scope } = request.admission ?? {};
  if (!request.hasPlace) reserve(relay, actor, { request, reply });
  const headers = withoutConnection(request.headers);
  const answer = await relay.answer(
    {
      id: request.id,
      method: request.method as RouteContract['method'],
      url: request.url,
      headers: { ...headers, 'x-request-id': request.id },
      ip: request.ip,
      body,
    },
    scope?.id ?? (actor.kind === 'anonymous' ? request.ip : actor.id),
  );
  reply.code(answer.status).headers(withoutConnection(answer.headers));
  const { buffer, byteOffset, byteLength } = answer.body;
  return reply.send(byteLength === 0 ? undefined : Buffer.from(buffer, byteOffset, byteLength));
}

function withoutConnection<V>(headers: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name)));
}
