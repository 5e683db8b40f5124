import type { Realm, UserView } from '@flotilla/contract';

export type { UserView as User } from '@flotilla/contract';
export type Membership = UserView['memberships'][number];

/** A filter of the API that takes one boolean: both boxes ticked is no filter. */
export function toBooleanFilter(values: readonly string[] | undefined): 'true' | 'false' | undefined {
  if (values?.length !== 1) return undefined;
  return values[0] === 'true' ? 'true' : values[0] === 'false' ? 'false' : undefined;
}

/** A sign-in method, as accounts name it. */
export function toAccountRealm({ kind, name }: Pick<Realm, 'kind' | 'name'>): string {
  return kind === 'oidc' ? `oidc/${name}` : name;
}

/** Display name of a realm; the raw name if it no longer exists. */
export function nameRealm(realms: readonly Realm[], realm: string): string {
  return realms.find((one) => toAccountRealm(one) === realm)?.title ?? realm;
}
