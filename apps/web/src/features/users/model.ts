import type { Realm, UserView } from '@flotilla/contract';

export type { UserView as User } from '@flotilla/contract';
export type Membership = UserView['memberships'][number];

/** Converts a filter for a boolean parameter: if both boxes are ticked, there is no filter. */
export function toBooleanFilter(values: unknown): 'true' | 'false' | undefined {
  if (!Array.isArray(values) || values.length !== 1) return undefined;
  return values[0] === 'true' ? 'true' : values[0] === 'false' ? 'false' : undefined;
}

/** Returns the name of a realm as accounts store it. */
export function toAccountRealm({ kind, name }: Pick<Realm, 'kind' | 'name'>): string {
  return kind === 'oidc' ? `oidc/${name}` : name;
}

/** Returns the title of a realm; the raw name if it no longer exists. */
export function nameRealm(realms: readonly Realm[], realm: string): string {
  return realms.find((one) => toAccountRealm(one) === realm)?.title ?? realm;
}
