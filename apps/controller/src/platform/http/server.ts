import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import type { RouteContract } from '@flotilla/contract';
import { type Database, runLight, TooHeavy } from '@flotilla/db';
import { AppError, createId, type Logger, systemClock } from '@flotilla/kit';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { DenialRecorder } from '../audit/index.ts';
import { ReachCache } from '../auth/index.ts';
import type { Cipher } from '../keyring/cipher.ts';
import type { Authenticator } from './actor.ts';
import { answerClientError, earlyHeaders } from './client-errors.ts';
import { endIdleWhenClosing, refuseWhenClosing } from './closing.ts';
import { cursorsOf } from './cursors.ts';
import { isAttempt, recordDenial } from './denials.ts';
import { toErrorAnswer } from './errors.ts';
import { refuseForgery } from './forgery.ts';
import { admit, identify } from './guard.ts';
import { AnswerCaps } from './idempotency.ts';
import { acceptJson } from './json-body.ts';
import { type HostNames, refuseUnknownHosts } from './known-hosts.ts';
import { isServedElsewhere, READ_HERE_MAX } from './large-body.ts';
import { RequestLimits } from './rate-limits.ts';
import { dropReadOnly, findWritable, type WritableRecord } from './read-only.ts';
import { type Relay, relayRequest, reserveForBody, takeLargeBody } from './relay.ts';
import { createContext } from './request-context.ts';
import type { Route } from './route.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { send } from './send.ts';
import { endSlowRequests, REQUEST_MAX_MS } from './slow-requests.ts';
import { type FeatureOff, notServed, Unserved } from './unserved.ts';
import { acceptUpload, UPLOAD_TYPE } from './upload-body.ts';
import { parseInput } from './validate.ts';

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly featuresOff?: readonly FeatureOff[];
  readonly database: Database;
  readonly authenticator: Authenticator;
  readonly denials: DenialRecorder;
  readonly logger: Logger;
  /** Host names of the controller. */
  readonly hosts: HostNames;
  /** Encrypts the answers stored for Idempotency-Key: they may contain values that are shown only once. */
  readonly cipher: Cipher;
  /** Multiplies the rate limits; 0 switches them off (benchmarks only). */
  readonly rateFactor?: number;
  /** Handles requests with large bodies; without it, this process handles all of them. */
  readonly relay?: Relay;
  /** Number of proxies in front of the controller whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every registered route as `GET /path`: the matrix test compares it with the table. */
    servedRoutes: string[];
  }
  interface FastifyRequest {
    /** The bytes of a JSON body, if another process may handle the request. */
    sent: Buffer | undefined;
    /** Whether the caller has a slot for a large request (`Relay.reserve`). */
    hasPlace: boolean;
  }
  interface FastifyContextConfig {
    contract?: RouteContract;
  }
}

/** Smaller answers fit into one or two packets without compression. */
const COMPRESS_MIN_BYTES = 2048;
const REQUEST_ID = /^[\w.-]{8,128}$/;

/** Creates the REST server, ready to listen or to be injected. Throws if a route has no complete declaration. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.logger.child({ component: 'http' });
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: (_address, hop) => hop < (options.trustedProxies ?? 0),
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : createId();
    },
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: answerClientError,
    requestTimeout: REQUEST_MAX_MS,
    // The server sends this answer itself, with the standard error body.
    return503OnClosing: false,
    // An address that cannot be decoded is refused before routing.
    frameworkErrors: (_error, request, reply: unknown) => {
      (reply as FastifyReply)
        .code(404)
        .headers(earlyHeaders(request.id))
        .send(toErrorAnswer(notServed(request), request).body);
    },
  });
  decorate(app);
  endSlowRequests(app);
  refuseWhenClosing(app);
  endIdleWhenClosing(app);
  await addSecurityHeaders(app);
  refuseUnknownHosts(app, options.hosts);
  await app.register(cookie);
  await app.register(compress, { global: false, threshold: COMPRESS_MIN_BYTES, encodings: ['br', 'gzip'] });
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (request.refused?.hidden)
      recordDenial(options.denials, request, { status: reply.statusCode, code: 'record.not_found' });
  });
  app.setErrorHandler((error, request, reply) => answerError(error, { request, reply, options }));
  const unserved = new Unserved(
    options.routes.map(({ contract }) => contract),
    options.featuresOff ?? [],
  );
  app.setNotFoundHandler((request, reply) =>
    answerError(unserved.describe(request, reply), { request, reply, options }),
  );
  acceptJson(app, { leavesLarge: options.relay !== undefined });
  const limits = new RequestLimits(options.rateFactor ?? 1);
  const writable = findWritable(options.routes.map(({ contract }) => contract));
  const own = { ...options, limits, reached: new ReachCache(systemClock), answerCaps: new AnswerCaps(), writable };
  for (const route of options.routes) addRoute(app, route, own);
  return app;
}

function decorate(app: FastifyInstance): void {
  app.decorate('servedRoutes', []);
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) app.servedRoutes.push(`${one} ${url}`);
  });
  for (const name of ['admission', 'refused', 'subject', 'sent']) app.decorateRequest(name, undefined);
  app.decorateRequest('hasPlace', false);
}

interface Shared extends HttpServerOptions {
  readonly limits: RequestLimits;
  readonly reached: ReachCache;
  readonly answerCaps: AnswerCaps;
  readonly writable: ReadonlyMap<RouteContract, WritableRecord>;
}

function addRoute(app: FastifyInstance, route: Route, options: Shared): void {
  const { contract } = route;
  const { limits } = options;
  const record = options.writable.get(contract);
  const read = record && options.routes.find((one) => one.contract === record.read);
  const served = { route, ...(record && read && { echo: { record, read } }) };
  if (contract.upload && !app.hasContentTypeParser(UPLOAD_TYPE)) {
    // Each upload route has its own context: nowhere else are raw bytes accepted as a body.
    app.register(async (own) => {
      acceptUpload(own);
      addRoute(own, route, options);
    });
    return;
  }
  app.route({
    method: contract.method,
    url: contract.path,
    bodyLimit: contract.bodyLimit,
    config: { contract },
    onRequest: async (request, reply) => {
      const actor = await identify(contract, request, options.authenticator).catch((error: unknown) => {
        if (error instanceof AppError && error.httpStatus === 401 && isAttempt(contract, error.code))
          limits.countAuthFailure(request.ip);
        throw error;
      });
      request.admission = { actor, scope: undefined };
      limits.admit(contract.rate, actor, { request, reply });
      refuseForgery(request, actor, options.authenticator);
      if (options.relay && isServedElsewhere(contract)) reserveForBody(options.relay, actor, { request, reply });
    },
    preValidation: async (request, reply) => {
      const actor = request.admission?.actor ?? { kind: 'anonymous' };
      const large = takeLargeBody(contract, request);
      if (large?.isReadable !== false)
        request.admission = { actor, scope: await admit(route, request, actor, options) };
      return large && options.relay ? relayRequest(options.relay, { request, reply }, large.bytes) : undefined;
    },
    handler: async (request, reply) => {
      const { relay } = options;
      if (!relay || !isServedElsewhere(contract)) return handle(served, { request, reply }, options);
      try {
        const allowed = contract.method === 'GET' ? READ_HERE_MAX.GET : READ_HERE_MAX.other;
        return await runLight(allowed, () => handle(served, { request, reply }, options));
      } catch (error) {
        if (!(error instanceof TooHeavy)) throw error;
        // Nothing was sent yet, and the writes were rolled back.
        return relayRequest(relay, { request, reply }, request.sent);
      }
    },
  });
}

interface ServedRoute {
  readonly route: Route;
  /** The record that the route writes, and the route that reads it. */
  readonly echo?: { readonly record: WritableRecord; readonly read: Route };
}

async function handle(
  { route, echo }: ServedRoute,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  options: Shared,
): Promise<FastifyReply> {
  const { contract } = route;
  const given = { params: request.params, query: request.query, body: request.body };
  const cursors = cursorsOf(contract, given);
  const opened = cursors.open(given);
  const { request: taken, etag } = echo
    ? await dropReadOnly(contract, echo.record, opened, (input) =>
        echo.read.handler(createContext(echo.read, request, options), input),
      )
    : { request: opened };
  const input = parseInput(contract, taken);
  const ctx = createContext(route, request, { ...options, state: etag });
  const answer = cursors.seal(await route.handler(ctx, input));
  if (answer.refusal) recordIfDenied(answer.refusal.httpStatus, answer.refusal.code, { request, options });
  return send(contract, { request, reply }, answer);
}

async function answerError(
  error: unknown,
  { request, reply, options }: { request: FastifyRequest; reply: FastifyReply; options: HttpServerOptions },
): Promise<FastifyReply> {
  const answer = toErrorAnswer(error, request);
  if (answer.status >= 500) request.log.error({ err: error, request_id: request.id }, 'http.failed');
  recordIfDenied(answer.status, answer.body.code, { request, options });
  // Rate-limited callers must not flood the audit log.
  if (answer.body.code === 'request.too_many')
    options.denials.omit({ at: new Date(), projectId: request.admission?.scope?.id, code: answer.body.code });
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (answer.retryAfterS !== undefined) reply.header('retry-after', String(answer.retryAfterS));
  return reply.code(answer.status).send(answer.body);
}

function recordIfDenied(
  status: number,
  code: string,
  { request, options }: { request: FastifyRequest; options: HttpServerOptions },
): void {
  const isDenial = status === 401 || status === 403 || code === 'auth.throttled';
  if (isDenial && isAttempt(request.routeOptions.config?.contract, code))
    recordDenial(options.denials, request, { status, code });
}
