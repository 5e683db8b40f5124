declare module 'virtual:routes' {
  import type * as contract from '@flotilla/contract';
  import type { RouteContract } from '@flotilla/contract';

  type Contract = typeof contract;

  /** What is left of a route in the browser, with the types of its whole contract. */
  export type RouteRef<R extends RouteContract = RouteContract> = Pick<
    R,
    'id' | 'method' | 'path' | 'access' | 'project'
  > & {
    /** Exists for the compiler only. */
    readonly contract?: R;
  };

  type Family<F> = { readonly [K in keyof F]: F[K] extends RouteContract ? RouteRef<F[K]> : never };

  /** `clientRoutes` of the contract is `routes.client` here. */
  export const routes: {
    readonly [N in keyof Contract as N extends `${infer Name}Routes` ? Name : never]: Family<Contract[N]>;
  };
}
