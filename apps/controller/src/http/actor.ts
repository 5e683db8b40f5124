import type { Buffer } from 'node:buffer';
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
      /** The password was chosen by somebody else. */
      readonly mustChangePassword?: boolean;
      /** Of the access token that it came with. */
      readonly expiresAt?: Date;
      /** Digest of the refresh token that it came with, where that is the credential. */
      readonly refresh?: Buffer;
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
      /** Whom it was given to, where they reach of the project what permissions name, and no more. */
      readonly reader?: string | undefined;
    };

export type KnownActor = Exclude<Actor, { kind: 'anonymous' }>;

/** What a route takes. No kind is taken for another. */
export type Credential = 'access' | 'refresh' | 'browser' | 'browser_refresh';

/** What the guard needs of identity: reading credentials and memberships. */
export interface Authenticator {
  /** Throws an auth.* error when the token is not one that this use takes. */
  authenticate(token: string, use: Credential, ip: string): Promise<KnownActor>;
  /** Whether `given` is the CSRF token of this session. Takes the same time for every wrong one of the right length. */
  isCsrfTokenOf(sessionId: string, given: unknown): boolean;
  /** The caller's role in a project; undefined when it has none there or there is no such project. */
  findRole(actor: KnownActor, projectId: string): Promise<Role | undefined>;
  /**
   * The member whose permissions say what the caller reaches of a project that it has a role in; undefined where it reaches
   * all of it.
   */
  findReader(actor: KnownActor, projectId: string): Promise<string | undefined>;
  /** Identities have changed: what is remembered of them is asked anew. */
  forget(): void;
}

/** An agent, known by its certificate. It acts over gRPC only, never over REST. */
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
