import type { Realm } from '@flotilla/contract';

export type { UserView as User } from '@flotilla/contract';

/** A filter of the API that takes one boolean: both boxes ticked is no filter. */
export function toBooleanFilter(values: readonly string[] | undefined): 'true' | 'false' | undefined {
  if (values?.length !== 1) return undefined;
  return values[0] === 'true' ? 'true' : values[0] === 'false' ? 'false' : undefined;
}

/** A way to sign in, as accounts name it. */
export function toAccountRealm({ kind, name }: Pick<Realm, 'kind' | 'name'>): string {
  return kind === 'oidc' ? `oidc/${name}` : name;
}

/** For people; as the account names it where there is no such way to sign in any more. */
export function nameRealm(realms: readonly Realm[], realm: string): string {
  return realms.find((one) => toAccountRealm(one) === realm)?.title ?? realm;
}
