import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { RouteContract } from '@flotilla/contract';
import { fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { createId, type Logger } from '@flotilla/kit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { recordAudit } from '../features/audit/index.ts';
import type { Actor, Authenticator } from './actor.ts';
import type { ProjectScope, Reply, RequestContext } from './context.ts';
import { toErrorAnswer } from './errors.ts';
import { admit, identify } from './guard.ts';
import { limitsOf } from './rate-limits.ts';
import type { Route } from './route.ts';
import { parseInput } from './validate.ts';
import { claimIdempotency, runWrite } from './write.ts';

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly db: Db;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Multiplies the allowed rates; 0 switches the limits off (benchmarks only). */
  readonly rateFactor?: number;
  /** Number of proxies in front of us whose X-Forwarded-For may be believed. */
  readonly trustedProxies?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: { actor: Actor; scope: ProjectScope | undefined } | undefined;
  }
}

const REQUEST_ID = /^[\w.-]{8,128}$/;

/** The REST server, ready to listen or to be injected. A route without a full declaration does not start. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.logger.child({ component: 'http' });
  const app = Fastify({
    loggerInstance,
    disableRequestLogging: true,
    trustProxy: (_address, hop) => hop < (options.trustedProxies ?? 0),
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : createId();
    },
    routerOptions: { maxParamLength: 512 },
  });
  app.decorateRequest('admission', undefined);
  await app.register(helmet, { contentSecurityPolicy: { directives: { 'script-src': ["'self'"] } } });
  await app.register(rateLimit, { global: false });
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.setErrorHandler((error, request, reply) => answerError(error, { request, reply, options }));
  app.setNotFoundHandler((request, reply) =>
    answerError(fail('request.not_found', { method: request.method, path: pathOf(request) }), {
      request,
      reply,
      options,
    }),
  );
  acceptEmptyJson(app);
  for (const route of options.routes) addRoute(app, route, options);
  return app;
}

function addRoute(app: FastifyInstance, route: Route, options: HttpServerOptions): void {
  const { contract } = route;
  const limit = limitsOf(contract.rate, options.rateFactor ?? 1);
  app.route({
    method: contract.method,
    url: contract.path,
    bodyLimit: contract.bodyLimit,
    config: { contract, ...(limit && { rateLimit: limit }) },
    onRequest: async (request) => {
      request.admission = { actor: await identify(contract, request, options.authenticator), scope: undefined };
    },
    preValidation: async (request) => {
      const actor = request.admission?.actor ?? { kind: 'anonymous' };
      request.admission = { actor, scope: await admit(route, request, actor, options) };
    },
    handler: async (request, reply) => {
      const input = parseInput(contract, request);
      const ctx = createContext(route, request, options);
      const answer = await route.handler(ctx, input);
      return send(contract, reply, answer);
    },
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    contract?: RouteContract;
  }
}

function createContext({ contract }: Route, request: FastifyRequest, options: HttpServerOptions): RequestContext {
  const now = new Date();
  const { actor, scope } = request.admission ?? { actor: { kind: 'anonymous' } as const, scope: undefined };
  const dryRun = (request.query as Record<string, unknown>).dry_run === 'true';
  const key = request.headers['idempotency-key'];
  const idempotency =
    typeof key === 'string' && contract.method === 'POST' && actor.kind !== 'anonymous'
      ? claimIdempotency({
          actor: `${actor.kind}:${actor.id}`,
          key: key.slice(0, 256),
          route: `${contract.id} ${request.url}`,
          body: request.body,
        })
      : undefined;
  return {
    requestId: request.id,
    actor,
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    dryRun,
    ifMatch: parseIfMatch(request.headers['if-match']),
    db: options.db,
    now,
    get project() {
      if (!scope) throw new Error(`route ${contract.id} has no project`);
      return scope;
    },
    write: (work) =>
      runWrite(
        {
          db: options.db,
          dryRun,
          now,
          idempotency,
          defaultStatus: contract.status,
          recordAudit: (tx, { audit, reply }) =>
            recordAudit(tx, {
              at: now,
              actor,
              actorRole: scope?.role,
              projectId: scope?.id,
              action: contract.audit ?? contract.id,
              outcome: 'done',
              status: reply.status ?? contract.status,
              subject: audit,
              request: describeRequest(request),
            }),
        },
        work,
      ),
  };
}

function send(contract: RouteContract, reply: FastifyReply, answer: Reply): FastifyReply {
  reply.code(answer.status ?? contract.status);
  if (answer.etag !== undefined) reply.header('etag', `"${answer.etag}"`);
  if (answer.location !== undefined) reply.header('location', answer.location);
  return reply.send(answer.body);
}

async function answerError(
  error: unknown,
  { request, reply, options }: { request: FastifyRequest; reply: FastifyReply; options: HttpServerOptions },
): Promise<FastifyReply> {
  const answer = toErrorAnswer(error, request.id);
  if (answer.status >= 500) request.log.error({ err: error, request_id: request.id }, 'http.failed');
  const contract = request.routeOptions.config?.contract;
  if ((answer.status === 401 || answer.status === 403) && contract) {
    await recordAudit(options.db, {
      at: new Date(),
      actor: request.admission?.actor ?? { kind: 'anonymous' },
      actorRole: request.admission?.scope?.role,
      projectId: request.admission?.scope?.id,
      action: contract.audit ?? contract.id,
      outcome: 'denied',
      status: answer.status,
      errorCode: answer.body.code,
      request: describeRequest(request),
    }).catch((cause: unknown) => request.log.error({ err: cause }, 'audit.denial_lost'));
  }
  if (answer.retryAfterS !== undefined) reply.header('retry-after', String(answer.retryAfterS));
  return reply.code(answer.status).send(answer.body);
}

function describeRequest(request: FastifyRequest) {
  return {
    method: request.method,
    path: pathOf(request),
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    requestId: request.id,
  };
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url;
}

function parseIfMatch(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"?(.*?)"?$/, '$1'));
}

/** A body-less POST with a JSON content type is common among clients and means no body. */
function acceptEmptyJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text: string, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text, refusePrototypeKeys));
    } catch (error) {
      done(fail('request.malformed', { reason: error instanceof Error ? error.message : 'not JSON' }), undefined);
    }
  });
}

function refusePrototypeKeys(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member named __proto__ is not allowed');
  return value;
}
