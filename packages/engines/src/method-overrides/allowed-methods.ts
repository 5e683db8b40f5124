import { type Budget, UNLIMITED } from '../budget.ts';
import { listQueries } from '../content/sent-queries.ts';
import type { RequestView } from '../engine.ts';
import { findBodyOverrides, hasUnseenFields, mayHoldFields, readFieldForms } from './body-overrides.ts';
import { METHOD_OVERRIDES, type Override } from './names.ts';
import { findPairOverrides } from './pair-overrides.ts';

/** `unread`: something may override the method, and its value cannot be determined. */
export type MethodFault = 'method' | 'override' | 'unread';

/**
 * The methods that a key or a path allows. A request counts as its own method and as every other method that some
 * upstream would use because of a header, a query parameter or a body field. All of them must be listed: a GET that
 * claims to be a DELETE is not allowed where only one of the two is.
 */
export class AllowedMethods {
  readonly #methods: ReadonlySet<string>;

  constructor(methods: readonly string[]) {
    this.#methods = new Set(methods);
  }

  /** Returns why the request is not allowed: its own method, or an override in its head. */
  findFault(request: RequestView): MethodFault | undefined {
    if (!this.#methods.has(request.method)) return 'method';
    for (const name of request.findNames(METHOD_OVERRIDES)) {
      for (const line of request.header(name)) if (!this.#areListed(line)) return 'override';
    }
    for (const query of listQueries(request)) {
      const fault = this.#findOverride(findPairOverrides(query, UNLIMITED));
      if (fault !== undefined) return fault;
    }
    return hasUnseenFields(request) ? 'unread' : undefined;
  }

  /** True if a body field may override a listed method. */
  wantsBody(request: RequestView): boolean {
    return mayHoldFields(request) && this.findFault(request) === undefined;
  }

  /** Checks overrides in the body. Throws `BudgetExceeded`. */
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

  /** An upstream may use any element of a list; frameworks convert it to uppercase. An empty one has no effect. */
  #areListed(value: string): boolean {
    return value.split(',').every((part) => {
      const method = part.trim().toUpperCase();
      return method === '' || this.#methods.has(method);
    });
  }
}
