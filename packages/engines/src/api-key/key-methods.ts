import { type Budget, UNLIMITED } from '../budget.ts';
import type { RequestView } from '../engine.ts';
import {
  findBodyOverrides,
  hasUnseenFields,
  mayHoldFields,
  readFieldForms,
} from '../method-overrides/body-overrides.ts';
import { METHOD_OVERRIDES, type Override } from '../method-overrides/names.ts';
import { findPairOverrides } from '../method-overrides/pair-overrides.ts';

/** `unread`: something may override the method, and nobody can tell. */
export type MethodFault = 'method' | 'override' | 'unread';

/**
 * The methods that a key may be used for. A request has its own method, and every other one that some upstream takes it for
 * because of a header, a query parameter or a field of its body: all of them must be listed. A GET that says it is a DELETE is
 * neither to a key that may do one of the two.
 */
export class KeyMethods {
  readonly #methods: ReadonlySet<string>;

  constructor(methods: readonly string[]) {
    this.#methods = new Set(methods);
  }

  /** What asks for a method that is not listed: the request itself, or something in its head that overrides its method. */
  findFault(request: RequestView): MethodFault | undefined {
    if (!this.#methods.has(request.method)) return 'method';
    for (const name of request.findNames(METHOD_OVERRIDES)) {
      for (const line of request.header(name)) if (!this.#areListed(line)) return 'override';
    }
    return (
      this.#findOverride(findPairOverrides(request.query, UNLIMITED)) ??
      (hasUnseenFields(request) ? 'unread' : undefined)
    );
  }

  /** True where a field of the body may override a method that is listed. */
  wantsBody(request: RequestView): boolean {
    return mayHoldFields(request) && this.findFault(request) === undefined;
  }

  /** What the fields of the body ask for. Throws `BudgetExceeded`. */
  findBodyFault(request: RequestView, body: Buffer, budget: Budget): MethodFault | undefined {
    const forms = readFieldForms(request);
    return forms === undefined ? undefined : this.#findOverride(findBodyOverrides(body, forms, budget));
  }

  #findOverride(overrides: Iterable<Override>): MethodFault | undefined {
    for (const override of overrides) {
      if (override === undefined) return 'unread';
      if (!this.#areListed(override)) return 'override';
    }
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
