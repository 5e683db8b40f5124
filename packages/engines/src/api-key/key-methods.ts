import type { RequestView } from '../engine.ts';
import { METHOD_OVERRIDES } from '../method-overrides.ts';
import { findMethodParameters } from './query-values.ts';

/**
 * The methods that a key may be used for. A request has its own method, and every other one that some upstream takes it for
 * because of a header or a query parameter: all of them must be listed. A GET that says it is a DELETE is neither to a key that
 * may do one of the two.
 */
export class KeyMethods {
  readonly #methods: ReadonlySet<string>;

  constructor(methods: readonly string[]) {
    this.#methods = new Set(methods);
  }

  /** What asks for a method that is not listed: the request itself, or something that overrides its method. */
  findFault(request: RequestView): 'method' | 'override' | undefined {
    if (!this.#methods.has(request.method)) return 'method';
    for (const name of request.findNames(METHOD_OVERRIDES)) {
      for (const line of request.header(name)) if (!this.#areListed(line)) return 'override';
    }
    for (const value of findMethodParameters(request.query)) if (!this.#areListed(value)) return 'override';
    return undefined;
  }

  /** Of a list an upstream may take any; frameworks turn what they take into capitals. An empty one is none. */
  #areListed(value: string): boolean {
    return value.split(',').every((part) => {
      const method = part.trim().toUpperCase();
      return method === '' || this.#methods.has(method);
    });
  }
}
