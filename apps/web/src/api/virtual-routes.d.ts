declare module 'virtual:routes' {
  import type * as contract from '@flotilla/contract';
  import type { RouteContract } from '@flotilla/contract';

  type Contract = typeof contract;

  /** The part of a route that is left in the browser, with the types of its whole contract. */
  export type RouteRef<R extends RouteContract = RouteContract> = Pick<
    R,
    'id' | 'method' | 'path' | 'access' | 'project'
  > & {
    /** Maximum bytes of an uploaded file; only set for uploads. */
    readonly bodyLimit?: number;
    /** Exists for the compiler only. */
    readonly contract?: R;
  };

  type Family<F> = { readonly [K in keyof F]: F[K] extends RouteContract ? RouteRef<F[K]> : never };

  /** `clientRoutes` of the contract is `routes.client` here. */
  export const routes: {
    readonly [N in keyof Contract as N extends `${infer Name}Routes` ? Name : never]: Family<Contract[N]>;
  };

  /** Every kind of settings document. */
  export interface SettingKindRef {
    readonly key: string;
    readonly title: string;
    readonly scope: 'installation' | 'project';
    /** Whether several may exist, each with a name. */
    readonly isNamed: boolean;
  }
  export const settingKinds: readonly SettingKindRef[];
}
