import type { Level, ResourceKind, Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { AuditSubject } from '../audit/index.ts';
import type { Actor } from './actor.ts';
import type { AfterCommitWork } from './after-commit.ts';
import type { FlowCookie } from './flow-cookie.ts';
import type { Prepare } from './preparation.ts';
import type { RefusedTarget } from './refused-target.ts';
import type { SessionCookie } from './session-cookie.ts';

/** The answer of a route. `etag` is the record's revision; the server sends it as a strong ETag. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly etag?: number | string;
  readonly location?: string;
  /** Set for bodies that are bytes or a stream; everything else is JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sets the browser's session cookie; null deletes it. */
  readonly sessionCookie?: SessionCookie | null;
  /** Sets the cookie of a sign-in that continues at a provider; null deletes it. */
  readonly flowCookie?: FlowCookie | null;
  /** For redirects, which look like success: the error to record in the audit log. */
  readonly refusal?: AppError;
}

export interface WriteOutcome {
  readonly reply: Reply;
  readonly audit: AuditSubject;
  /** The write changed no row: there is nothing to record, and the database has not checked the caller's permission. */
  readonly isUnchanged?: boolean;
  /**
   * The resources that the reply contains, for routes that name none and are open to members with permissions. A stored
   * reply is repeated to such a member only if they may still change all of them. Omitted: to no such member.
   */
  readonly shows?: readonly ShownThing[];
}

export interface ShownThing {
  readonly kind: ResourceKind;
  readonly id: string;
}

/** The project of a request and the caller's role in it, checked by the guard. */
export interface ProjectScope {
  readonly id: string;
  readonly role: Role;
  /** The member whose permissions restrict the access; undefined: no restriction. */
  readonly reader?: string | undefined;
}

/** The caller's access to the resources of a project: for lists, and for references of one resource. */
export interface ResourceAccess {
  readonly projectId: string;
  /** The caller may access everything in the project, up to the ceiling. */
  readonly all: boolean;
  /** The highest level that the role allows. */
  readonly ceiling: Level;
  /** The user whose permissions apply if not everything is accessible; for a token, the user whom it belongs to. */
  readonly userId: string | undefined;
}

export interface RequestContext {
  readonly requestId: string;
  readonly actor: Actor;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly dryRun: boolean;
  /** Cookie of a sign-in that continued at a provider. */
  readonly flowCookie: string | undefined;
  /** `Last-Event-ID` of an event stream that is resumed. */
  readonly lastEventId: string | undefined;
  /** The headers of a download that is continued. */
  readonly range: { readonly range: string | undefined; readonly ifRange: string | undefined };
  /** Revisions in `If-Match`, or `*`; undefined if the header is absent. */
  readonly ifMatch: readonly string[] | undefined;
  /** The same for `If-None-Match`. */
  readonly ifNoneMatch?: readonly string[] | undefined;
  /** The bytes of an uploaded file as they arrive. Throws request.too_large once they exceed the limit. */
  readonly upload: AsyncIterable<Buffer>;
  /**
   * Shows what the caller may access, see row-scope.ts: without a project, the user's own rows or nothing. Inside
   * `write`, the transaction shows the whole project, for the checks of the write.
   */
  readonly db: Db;
  /**
   * Shows the whole project, even to members restricted by permissions, for parts of visible resources that `db` does
   * not show, such as the clients of a service. Throws if the route does not declare `wholeProject`.
   */
  projectDb(): Db;
  /** Wall-clock time of the request. */
  readonly now: Date;
  /** The project of the route. Throws for routes with the rule `none`, where its use is a bug. */
  readonly project: ProjectScope;
  /** The same, or undefined if the route allows requests without a project and the caller named none. */
  readonly scope: ProjectScope | undefined;
  /** Access within `project`; throws like `project`. */
  readonly access: ResourceAccess;
  /** Names the subject for the audit entry of a refusal, such as a failed sign-in. */
  about(subject: AuditSubject): void;
  /**
   * For routes that find their project themselves (rule `none`): names the target of a refusal for the audit entry.
   * `hidden`: the answer does not look like a denial; the entry is written after it.
   */
  refusedIn(target: RefusedTarget): void;
  /**
   * Runs `work` in one transaction with its audit entry and, if the caller sent an Idempotency-Key, the stored answer.
   * `dry_run` rolls everything back after the checks and still sends the reply. If a stored answer exists and the
   * caller may still have it (see guard.ts), it is sent instead and `work` does not run.
   */
  write(work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply>;
  /**
   * Inside `write`: registers work for this process to do after the commit and before the answer. Skipped if nothing is
   * committed (dry run, repeated answer). Failures are logged and do not change the answer.
   */
  afterCommit(work: AfterCommitWork): void;
  /** Inside `write`: runs slow work without an open transaction. */
  readonly prepare: Prepare;
}

/** The actor of a request or of a job that makes a change. */
export type Author = { readonly kind: 'anonymous' } | { readonly kind: string; readonly name: string };

/** The name for `updated_by`. */
export function actorName({ actor }: { readonly actor: Author }): string {
  return 'name' in actor ? actor.name : 'anonymous';
}
