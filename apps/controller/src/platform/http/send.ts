import { Readable } from 'node:stream';
import type { RouteContract } from '@flotilla/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from './context.ts';
import { writeFlowCookie } from './flow-cookie.ts';
import { writeSessionCookie } from './session-cookie.ts';

export function send(
  contract: RouteContract,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  answer: Reply,
): FastifyReply {
  reply.code(answer.status ?? contract.status);
  if (answer.etag !== undefined) reply.header('etag', `"${answer.etag}"`);
  if (answer.location !== undefined) reply.header('location', inProject(answer.location, request));
  if (answer.contentType !== undefined) reply.header('content-type', answer.contentType);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (isKnownToCaller(request, answer)) return reply.code(304).send();
  if (answer.sessionCookie !== undefined) writeSessionCookie(request, reply, answer.sessionCookie);
  if (answer.flowCookie !== undefined) writeFlowCookie(request, reply, answer.flowCookie);
  // A stream that nobody reads would never end.
  if (request.method === 'HEAD' && answer.body instanceof Readable) return endUnread(reply, answer.body);
  if (!isCompressible(contract, answer)) return reply.send(answer.body);
  reply.type('application/json; charset=utf-8').compress(JSON.stringify(answer.body));
  return reply;
}

/** Adds the project to the address, so that it can be called as it is. */
function inProject(location: string, { admission }: FastifyRequest): string {
  if (!admission?.scope || !location.startsWith('/api/')) return location;
  const [path, query] = location.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('project', admission.scope.id);
  return `${path}?${parameters}`;
}

/** For cacheable answers: whether the caller already has this version. */
function isKnownToCaller(request: FastifyRequest, { etag, headers }: Reply): boolean {
  if (etag === undefined || headers?.['cache-control'] === undefined) return false;
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known?.includes(`"${etag}"`) === true || known?.includes('*') === true;
}

function endUnread(reply: FastifyReply, body: Readable): FastifyReply {
  body.destroy();
  return reply.send();
}

/** Sign-in answers are not compressed: the compressed length would reveal their secrets (BREACH). */
function isCompressible({ path }: RouteContract, { body, contentType }: Reply): boolean {
  return path.startsWith('/api/') && contentType === undefined && typeof body === 'object' && body !== null;
}
