import type { BuildAllowance } from './build-allowance.ts';
import type { DocumentSource, NodeInput } from './types.ts';

/** The parts of a node that the build of a document may depend on. */
export type BuildNode = Pick<NodeInput, 'filesDir' | 'addresses' | 'shield'> & {
  /** Connection managers and TCP proxies get the access log. */
  readonly isLogged: boolean;
};

/** Everything that the build of a document may depend on. */
export interface BuildContext {
  readonly source: DocumentSource;
  readonly node: BuildNode;
  /** By name; see `findRoutesWithoutFilter`. */
  readonly routesWithoutFilter: ReadonlySet<string>;
  /** Undefined: unlimited. */
  readonly allowance?: BuildAllowance | undefined;
}
