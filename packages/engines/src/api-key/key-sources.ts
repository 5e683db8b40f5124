import type { ApiKeySource } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';
import { findQueryValues } from './query-values.ts';

/** The places of requests in which a block looks for keys. */
export class KeySources {
  /** Lowercase. */
  readonly headers: readonly string[];
  readonly parameter: string | undefined;
  /** The one header that is looked at, where there is no other place. */
  readonly #only: string | undefined;

  constructor(sources: readonly ApiKeySource[]) {
    this.headers = sources.filter(({ source }) => source === 'header').map(({ name }) => name);
    this.parameter = sources.find(({ source }) => source === 'query')?.name;
    this.#only = sources.length === 1 ? this.headers[0] : undefined;
  }

  /** The key that a request presents; empty where it has none, undefined where its values differ. */
  read(request: RequestView): string | undefined {
    const values = this.#only === undefined ? this.#list(request) : request.header(this.#only);
    const first = values[0] ?? '';
    for (let n = 1; n < values.length; n++) if (values[n] !== first) return undefined;
    return first;
  }

  #list(request: RequestView): string[] {
    const values = this.headers.flatMap((name) => request.header(name));
    if (this.parameter !== undefined) values.push(...findQueryValues(request.query, this.parameter));
    return values;
  }
}
