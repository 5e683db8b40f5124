/** Chooses paths. They are compared as Envoy sees them, without the query. */
export type PathMatch =
  | { readonly kind: 'exact' | 'prefix' | 'separated'; readonly text: string; readonly ignoresCase: boolean }
  | { readonly kind: 'template' | 'regex'; readonly text: string }
  /** Nobody here can say. */
  | { readonly kind: 'opaque' };

export type TextMatch = {
  readonly kind: 'exact' | 'prefix' | 'suffix' | 'contains' | 'regex';
  readonly text: string;
  readonly ignoresCase: boolean;
  readonly isInverted: boolean;
};

export interface ServedRoute {
  readonly path: PathMatch;
  /** All of them must match the method. */
  readonly methods: readonly TextMatch[];
  /** Other headers, parameters or chance decide, too. */
  readonly isConditional: boolean;
}

export interface ServedHost {
  readonly domains: readonly string[];
  /** In Envoy's order: the first one that matches takes the request. */
  readonly routes: readonly ServedRoute[];
}

/** A route configuration. */
export interface RouteTable {
  readonly ignoresPort: boolean;
  readonly hosts: readonly ServedHost[];
}

/** The routes of a project's proxies, as plain data. */
export interface ServedRoutes {
  readonly tables: readonly RouteTable[];
  /** Indexes of the tables by which each place routes: see `toPlace`. */
  readonly places: Readonly<Record<string, readonly number[]>>;
}

export const NO_ROUTES: ServedRoutes = { tables: [], places: {} };

/** The listener of a service. Its routes apply to its own requests only. */
export function toPlace(service: string, listener: string): string {
  return `${service} ${listener}`;
}
