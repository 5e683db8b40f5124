declare module 'virtual:routes' {
  import type * as contract from '@flotilla/contract';
  import type { AuditWords, RouteContract, SettingsType } from '@flotilla/contract';

  type Contract = typeof contract;

  /** The fields of a route that remain in the browser, with the types of its whole contract. */
  export type RouteRef<R extends RouteContract = RouteContract> = Pick<
    R,
    'id' | 'method' | 'path' | 'access' | 'project'
  > & {
    /** Maximum bytes of an uploaded file; only set for uploads. */
    readonly bodyLimit?: number;
    /** Carries the types; no value exists at runtime. */
    readonly contract?: R;
  };

  type Family<F> = { readonly [K in keyof F]: F[K] extends RouteContract ? RouteRef<F[K]> : never };

  /** `clientRoutes` of the contract is `routes.client` here. */
  export const routes: {
    readonly [N in keyof Contract as N extends `${infer Name}Routes` ? Name : never]: Family<Contract[N]>;
  };

  /** A kind of settings document that has a page. */
  export interface SettingKindRef {
    readonly key: string;
    readonly title: string;
    readonly scope: SettingsType['scope'];
    readonly area: SettingsType['area'];
    /** Whether several may exist, each with a name. */
    readonly isNamed: boolean;
  }
  export const settingKinds: readonly SettingKindRef[];

  /** The words of all features for the audit log. */
  export const auditWords: Required<AuditWords>;
}
