import type { RouteContract } from '@flotilla/contract';
import type { FastifyRequest } from 'fastify';
import type { AuditSubject, DenialRecorder } from '../audit/index.ts';
import type { Actor } from './actor.ts';
import type { ProjectScope } from './context.ts';
import type { RefusedTarget } from './refused-target.ts';

/** The caller and project of a request, as far as the guard has found them. */
export interface Admission {
  readonly actor: Actor;
  readonly scope: ProjectScope | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | undefined;
    refused: RefusedTarget | undefined;
    /** The subject that the handler found, for the audit entry of a refusal. */
    subject: AuditSubject | undefined;
  }
}

/**
 * Whether a refusal counts as an attempt, to be limited and recorded. A page that opens asks whose session it has;
 * having none is a normal answer.
 */
export function isAttempt(contract: RouteContract | undefined, code: string): boolean {
  return !(contract?.access.kind === 'cookie' && contract.method === 'GET' && code === 'auth.missing');
}

/**
 * Records the denial without waiting. Denials of members go into their project's audit log, all others into the
 * installation's with the requested project as the subject.
 */
export function recordDenial(
  denials: DenialRecorder,
  request: FastifyRequest,
  answer: { status: number; code: string },
): void {
  const contract = request.routeOptions.config?.contract;
  if (!contract) return;
  const { admission, refused } = request;
  // The project's administrators must not read the identity of a stranger, or any text that the stranger sent.
  const isStranger = refused !== undefined && refused.role === undefined;
  denials.record({
    at: new Date(),
    actor: admission?.actor ?? { kind: 'anonymous' },
    actorRole: refused?.role ?? admission?.scope?.role,
    projectId: isStranger ? undefined : (refused?.projectId ?? admission?.scope?.id),
    action: contract.audit ?? contract.id,
    outcome: 'denied',
    status: answer.status,
    errorCode: answer.code,
    subject: isStranger ? { type: 'project', id: refused.projectId } : request.subject,
    request: describeRequest(request),
  });
}

export function describeRequest(request: FastifyRequest) {
  return {
    method: request.method,
    path: pathOf(request),
    ip: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 512),
    requestId: request.id,
  };
}

export function pathOf(request: FastifyRequest): string {
  return (request.url.split('?', 1)[0] ?? request.url).slice(0, 2048);
}
