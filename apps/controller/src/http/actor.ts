import type { Role, RouteFamily } from '@flotilla/contract';

/** Who makes a request. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly name: string;
      readonly sessionId: string;
      /** Owner of the installation: every role in every project. */
      readonly isOwner: boolean;
    }
  | {
      readonly kind: 'token';
      readonly id: string;
      readonly name: string;
      /** Of its secrets, the one it came with. */
      readonly secretId: string;
      /** The one project it works in. */
      readonly projectId: string;
      readonly role: Role;
      /** The routes that it may call; null: of all families. */
      readonly families: readonly RouteFamily[] | null;
    };

export type KnownActor = Exclude<Actor, { kind: 'anonymous' }>;

/** What the guard needs of identity: reading credentials and memberships. */
export interface Authenticator {
  /** Throws an auth.* error when the token is not one that this use takes. */
  authenticate(token: string, use: 'access' | 'refresh' | 'browser', ip: string): Promise<KnownActor>;
  /** Whether `given` is the CSRF token of this session. Takes the same time for every wrong one of the right length. */
  isCsrfTokenOf(sessionId: string, given: unknown): boolean;
  /** The caller's role in a project; undefined when it has none there or there is no such project. */
  findRole(actor: KnownActor, projectId: string): Promise<Role | undefined>;
}

/** An agent, known by its certificate. It acts over gRPC only, never over REST. */
export interface ClientActor {
  readonly kind: 'client';
  readonly id: string;
  readonly name: string;
}

export function describeActor(actor: Actor | ClientActor): { kind: string; id: string | null; name: string | null } {
  return actor.kind === 'anonymous'
    ? { kind: 'anonymous', id: null, name: null }
    : { kind: actor.kind, id: actor.id, name: actor.name };
}
