import type { Role } from '@flotilla/contract';
import type { Actor, ClientActor } from '../http/actor.ts';

/** The object of a write, for the audit log. `changes` never holds a secret. */
export interface AuditSubject {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  /** Set if it differs from the request's project, e.g. for a project that was just created. */
  readonly projectId?: string;
  /** The caller's role there, if the route finds its project itself. */
  readonly actorRole?: Role;
  readonly changes?: unknown;
}

/** The actor of work that no request triggers any more; `system` is the program itself. */
export interface NamedActor {
  readonly kind: 'user' | 'token' | 'system';
  readonly id: string | null;
  readonly name: string;
}

/** One audit log entry before it has an id. */
export interface AuditEntry {
  readonly at: Date;
  readonly actor: Actor | ClientActor | NamedActor;
  readonly actorRole: string | undefined;
  readonly projectId: string | undefined;
  readonly action: string;
  readonly outcome: 'done' | 'denied' | 'failed';
  readonly status: number;
  readonly errorCode?: string;
  readonly subject?: AuditSubject;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly ip: string;
    readonly userAgent: string | undefined;
    readonly requestId: string;
  };
}

/** Records refused requests. Callers do not wait for it, and it never fails. */
export interface DenialRecorder {
  record(entry: AuditEntry): void;
  /** Counts a refusal that gets no entry of its own. */
  omit(refusal: Refusal): void;
  /** Resolves when everything recorded so far is in the database, or cannot be written now. */
  flush(): Promise<void>;
}

export interface Refusal {
  readonly at: Date;
  readonly projectId: string | undefined;
  readonly code: string;
}
