import { fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../audit/index.ts';
import type { Cipher } from '../keyring/cipher.ts';
import type { Actor } from './actor.ts';
import { AfterCommit } from './after-commit.ts';
import type { ProjectScope, Reply, RequestContext, ResourceAccess, WriteOutcome } from './context.ts';
import { describeRequest } from './denials.ts';
import { ANY_REVISION, parseTags } from './etag.ts';
import { readFlowCookie } from './flow-cookie.ts';
import { admitAgain, askStill, type GuardDeps } from './guard.ts';
import { type AnswerCaps, claimIdempotency } from './idempotency.ts';
import { Preparation } from './preparation.ts';
import type { Route } from './route.ts';
import { chooseRowScopes, widenForRecord } from './row-scope.ts';
import { readUpload } from './upload-body.ts';
import { runWrite } from './write.ts';

export interface ContextDeps extends GuardDeps {
  readonly cipher: Cipher;
  readonly answerCaps: AnswerCaps;
  /** ETag of the state that the request was checked against; the write requires this state. */
  readonly state?: Reply['etag'];
}

/** Creates the context of a request that the guard has admitted. */
export function createContext(route: Route, request: FastifyRequest, deps: ContextDeps): RequestContext {
  const { contract } = route;
  const now = new Date();
  const { actor, scope } = request.admission ?? { actor: { kind: 'anonymous' } as const, scope: undefined };
  const dryRun = (request.query as Record<string, unknown>).dry_run === 'true';
  const upload = readUpload(request, request.headers['idempotency-key'] !== undefined);
  const idempotency = claimIdempotency(contract, request, { actor, uploadDigest: upload.digest });
  const afterCommit = new AfterCommit((error) =>
    request.log.error({ err: error, request_id: request.id }, 'http.after_commit_failed'),
  );
  const preparation = new Preparation();
  const { database } = deps;
  const rows = chooseRowScopes(route, actor, scope);
  const ifNoneMatch = parseTags(request.headers['if-none-match']);
  const given = { route, request, deps, actor, scope, dryRun, now, idempotency, afterCommit, preparation, ifNoneMatch };
  return {
    requestId: request.id,
    actor,
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    dryRun,
    flowCookie: readFlowCookie(request),
    upload: upload.chunks,
    lastEventId: request.headers['last-event-id']?.toString(),
    range: { range: request.headers.range, ifRange: request.headers['if-range']?.toString() },
    ifMatch: holdTo(deps.state?.toString(), parseTags(request.headers['if-match'])),
    ifNoneMatch,
    db: database.scoped(rows.read),
    projectDb() {
      if (!route.wholeProject) throw new Error(`route ${contract.id} does not declare wholeProject`);
      return database.scoped({ kind: 'project', projectId: requireScope(route, scope).id });
    },
    now,
    scope,
    get project() {
      return requireScope(route, scope);
    },
    get access() {
      return findAccess(requireScope(route, scope));
    },
    about: (subject) => {
      request.subject = subject;
    },
    refusedIn: (target) => {
      request.refused = target;
    },
    write: (work) => runRouteWrite({ ...given, db: database.scoped(rows.write) }, work),
    afterCommit: (work) => afterCommit.add(work),
    prepare: preparation.ask,
  };
}

function requireScope({ contract }: Route, scope: ProjectScope | undefined): ProjectScope {
  if (!scope) throw new Error(`route ${contract.id} has no project`);
  return scope;
}

interface RouteWrite {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly deps: ContextDeps;
  readonly db: Db;
  readonly actor: Actor;
  readonly scope: ProjectScope | undefined;
  readonly dryRun: boolean;
  readonly now: Date;
  readonly idempotency: ReturnType<typeof claimIdempotency>;
  readonly afterCommit: AfterCommit;
  readonly preparation: Preparation;
  readonly ifNoneMatch: readonly string[] | undefined;
}

async function runRouteWrite(
  { route, request, deps, ifNoneMatch, ...given }: RouteWrite,
  work: (tx: Tx) => Promise<WriteOutcome>,
): Promise<Reply> {
  const { contract } = route;
  const { actor, scope, dryRun, now } = given;
  try {
    return await runWrite(
      {
        ...given,
        role: scope?.role,
        admitAgain: (conditions) => admitAgain(route, request, { ...deps, actor, conditions }),
        cipher: deps.cipher,
        answerCaps: deps.answerCaps,
        defaultStatus: contract.status,
        requireStill: askStill(contract, request, scope),
        recordAudit: async (tx, { audit, reply }) => {
          if (scope === undefined && audit.projectId === undefined) await widenForRecord(tx);
          await recordAudit(tx, {
            at: now,
            actor,
            actorRole: audit.actorRole ?? scope?.role,
            projectId: scope?.id,
            action: contract.audit ?? contract.id,
            outcome: 'done',
            status: reply.status ?? contract.status,
            subject: audit,
            request: describeRequest(request),
          });
        },
      },
      async (tx) => {
        const outcome = await work(tx);
        if (ifNoneMatch && contract.method === 'PUT' && !dryRun && outcome.reply.etag === undefined)
          throw fail('request.invalid', { reason: 'If-None-Match: what is written here has no ETag; leave it out' });
        return outcome;
      },
    );
  } finally {
    // Runs even if the answer to the commit was lost: the commit may have happened.
    if (contract.family === 'identity') {
      deps.authenticator.forget();
      deps.reached.forget();
    }
  }
}

/** Narrows the caller's If-Match to the state that the request was checked against. */
function holdTo(state: string | undefined, tags: readonly string[] | undefined): readonly string[] | undefined {
  if (state === undefined) return tags;
  return tags === undefined || tags.includes(ANY_REVISION) || tags.includes(state) ? [state] : tags;
}

/** The role limits the level; permissions, if there is a reader, limit the resources. */
function findAccess({ id, role, reader }: ProjectScope): ResourceAccess {
  const ceiling = role === 'viewer' ? 'view' : 'change';
  return { projectId: id, all: reader === undefined, ceiling, userId: reader };
}
