import type { RouteContract } from '@flotilla/contract';
import type { FastifyRequest } from 'fastify';
import type { DenialRecorder } from '../features/audit/index.ts';
import type { Actor } from './actor.ts';
import type { AuditSubject, ProjectScope } from './context.ts';

/** What the guard has found out about a request so far. */
export interface Admission {
  readonly actor: Actor;
  readonly scope: ProjectScope | undefined;
}

/** What a refused request wanted: for the audit log, never for the answer. */
export interface RefusedTarget {
  readonly projectId: string;
  readonly role?: string;
  /** The caller is told "not found": the record is written after the answer, so that its time tells nothing either. */
  readonly hidden?: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | undefined;
    refused: RefusedTarget | undefined;
    /** What the handler found the request to be about, for the audit record of a refusal. */
    subject: AuditSubject | undefined;
  }
}

/**
 * Whether a refusal is one of an attempt, to be counted and recorded. A page that opens asks whose session it has, and
 * nobody's is an answer like any other.
 */
export function isAttempt(contract: RouteContract | undefined, code: string): boolean {
  return !(contract?.access.kind === 'cookie' && contract.method === 'GET' && code === 'auth.missing');
}

/** Has the denial written down; nobody waits for it. */
export function recordDenial(
  denials: DenialRecorder,
  request: FastifyRequest,
  answer: { status: number; code: string },
): void {
  const contract = request.routeOptions.config?.contract;
  if (!contract) return;
  const { admission, refused } = request;
  denials.record({
    at: new Date(),
    actor: admission?.actor ?? { kind: 'anonymous' },
    actorRole: refused?.role ?? admission?.scope?.role,
    projectId: refused?.projectId ?? admission?.scope?.id,
    action: contract.audit ?? contract.id,
    outcome: 'denied',
    status: answer.status,
    errorCode: answer.code,
    subject: request.subject,
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
