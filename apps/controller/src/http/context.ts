import type { Level, ResourceKind, Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { Actor } from './actor.ts';
import type { AfterCommitWork } from './after-commit.ts';
import type { AskBeforehand } from './beforehand.ts';
import type { RefusedTarget } from './denials.ts';
import type { FlowCookie } from './flow-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';

/** What a route answers with. `etag` is the record's revision; the server writes it as a strong ETag. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly etag?: number | string;
  readonly location?: string;
  /** Of a body that is bytes or a stream; everything else is JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sets the browser's session cookie; null takes it away. */
  readonly sessionCookie?: SessionCookie | null;
  /** Sets the cookie of a sign-in that goes on elsewhere; null takes it away. */
  readonly flowCookie?: FlowCookie | null;
  /** Of an answer that sends a browser on, as it does where all is well: what the request was refused for, for the record. */
  readonly refusal?: AppError;
}

/** What a write did to what, for the audit log. `changes` never holds a secret. */
export interface AuditSubject {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  /** When it differs from the request's project, e.g. for a project that is just made. */
  readonly projectId?: string;
  /** The caller's role there, where the route finds its project itself. */
  readonly actorRole?: Role;
  readonly changes?: unknown;
}

export interface WriteOutcome {
  readonly reply: Reply;
  readonly audit: AuditSubject;
  /** No row of the thing that the route names was written: there is nothing to record, and the database has not judged whether the caller may. */
  readonly isUnchanged?: boolean;
  /**
   * The things that the reply tells of, of a route that names none and may be called by members whose permissions count: an
   * answer that is stored is given again to such a member only who may still change all of them. Left out: to none.
   */
  readonly shows?: readonly ShownThing[];
}

export interface ShownThing {
  readonly kind: ResourceKind;
  readonly id: string;
}

/** The scope a request acts in, checked by the guard. */
export interface ProjectScope {
  readonly id: string;
  readonly role: Role;
  /** The member whose permissions say what is reached of it; undefined: all of it is. */
  readonly reader?: string | undefined;
}

/** What the caller may reach of a project: for lists, and for what one thing refers to. */
export interface ResourceAccess {
  readonly projectId: string;
  /** The caller may reach everything in the project, up to the ceiling. */
  readonly all: boolean;
  /** What the role allows at most. */
  readonly ceiling: Level;
  /** Whose permissions count, where not everything is reached; of a token, whom it was given to. */
  readonly userId: string | undefined;
}

export interface RequestContext {
  readonly requestId: string;
  readonly actor: Actor;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly dryRun: boolean;
  /** Of a sign-in that has gone on elsewhere. */
  readonly flowCookie: string | undefined;
  /** The header of a stream of events that goes on. */
  readonly lastEventId: string | undefined;
  /** Revisions named by `If-Match`, or `*`; undefined when the header is absent. */
  readonly ifMatch: readonly string[] | undefined;
  /** The same of `If-None-Match`. */
  readonly ifNoneMatch?: readonly string[] | undefined;
  /** Of routes that take a file: its bytes as they come, ended by request.too_large where they go on for too long. */
  readonly upload: AsyncIterable<Buffer>;
  /** Shows what the caller may reach, see row-scope.ts: without a project, a person's own, or nothing. In `write`, the transaction shows all of the project, for the checks of the write. */
  readonly db: Db;
  /** Wall time of the request. */
  readonly now: Date;
  /** The project of the route. Throws for routes whose rule is `none`: that is a bug in the route. */
  readonly project: ProjectScope;
  /** The same, or undefined where the route may do without a project and the caller named none. */
  readonly scope: ProjectScope | undefined;
  /** Within `project`; throws where that does. */
  readonly access: ResourceAccess;
  /** Names what the request is about, for the audit record in case it is refused (a sign-in that fails, say). */
  about(subject: AuditSubject): void;
  /**
   * For routes that find their project themselves (rule `none`): where the request is about to be refused, for the audit
   * record. `hidden`: the answer is not a denial by its looks; the record is written after it.
   */
  refusedIn(target: RefusedTarget): void;
  /**
   * Runs `work` in one transaction together with its audit record and, where the caller sent an Idempotency-Key, the
   * stored answer. With `dry_run` everything is rolled back after the checks and the reply is sent all the same. An answer
   * that was stored before is given again, and `work` is not run, where the caller may still have it (see guard.ts).
   */
  write(work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply>;
  /**
   * Within the work of `write`: what is to be done after its commit and before the answer goes out, in this process. Not
   * done where nothing is committed (a dry run, an answer given before). A failure is logged and does not reach the answer.
   */
  afterCommit(work: AfterCommitWork): void;
  /** Within the work of `write`: what takes long and needs no transaction. */
  readonly beforehand: AskBeforehand;
}

/** Who changed a record: the caller's name, for `updated_by`. */
export function actorName(ctx: Pick<RequestContext, 'actor'>): string {
  return ctx.actor.kind === 'anonymous' ? 'anonymous' : ctx.actor.name;
}
