import type { Buffer } from 'node:buffer';
import type { Role, RouteFamily } from '@flotilla/contract';

export type Actor =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly name: string;
      readonly sessionId: string;
      /** Owner of the installation: has every role in every project. */
      readonly isOwner: boolean;
      /** Somebody else chose the password. */
      readonly mustChangePassword?: boolean;
      /** Expiry of the access token of this request. */
      readonly expiresAt?: Date;
      /** Digest of the refresh token, if that is the credential. */
      readonly refresh?: Buffer;
    }
  | {
      readonly kind: 'token';
      readonly id: string;
      readonly name: string;
      /** The secret of the token that this request used. */
      readonly secretId: string;
      /** The only project that the token works in. */
      readonly projectId: string;
      readonly role: Role;
      /** The scopes of routes that it may call; null: all. */
      readonly families: readonly RouteFamily[] | null;
      /** The user whom the token belongs to, if permissions restrict what they may access in the project. */
      readonly reader?: string | undefined;
    };

export type KnownActor = Exclude<Actor, { kind: 'anonymous' }>;

/** The kind of credential that a route accepts. One kind never replaces another. */
export type Credential = 'access' | 'refresh' | 'browser' | 'browser_refresh';

/** The port through which the guard reads credentials and memberships. */
export interface Authenticator {
  /** Throws an auth.* error if the token is not valid for this use. */
  authenticate(token: string, use: Credential, ip: string): Promise<KnownActor>;
  /**
   * Whether `given` is the CSRF token of this session. Takes the same time for every wrong value of the right length.
   */
  isCsrfTokenOf(sessionId: string, given: unknown): boolean;
  /**
   * The caller's role in a project. undefined if it has none, if the project does not exist, or if its session lacks
   * the second factor that the project requires.
   */
  findRole(actor: KnownActor, projectId: string): Promise<Role | undefined>;
  /** The role that the caller would have in the project with the required second factor; undefined if it lacks none. */
  findClosedRole(actor: KnownActor, projectId: string): Promise<Role | undefined>;
  /** The member whose permissions restrict the caller's access to the project; undefined if nothing restricts it. */
  findReader(actor: KnownActor, projectId: string): Promise<string | undefined>;
  /** Drops cached identities after a change. */
  forget(): void;
}

/** An agent, identified by its certificate. It acts over gRPC only, never over REST. */
export interface ClientActor {
  readonly kind: 'client';
  readonly id: string;
  readonly name: string;
}

interface Named {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string;
}

export function describeActor(
  actor: { readonly kind: 'anonymous' } | Named,
): Omit<Named, 'name'> & { name: string | null } {
  return 'name' in actor
    ? { kind: actor.kind, id: actor.id, name: actor.name }
    : { kind: 'anonymous', id: null, name: null };
}
