import type { ApiKeySource } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';
import { findDoubtfulValues, findQueryValues } from './query-values.ts';

/** The places in a request where a block looks for keys. */
export class KeySources {
  /** Lowercase. */
  readonly headers: readonly string[];
  readonly parameter: string | undefined;
  /** The only header to check, if there is no other place. */
  readonly #only: string | undefined;

  constructor(sources: readonly ApiKeySource[]) {
    this.headers = sources.filter(({ source }) => source === 'header').map(({ name }) => name);
    this.parameter = sources.find(({ source }) => source === 'query')?.name;
    this.#only = sources.length === 1 ? this.headers[0] : undefined;
  }

  /** The key that a request presents; empty if it has none, undefined if its values differ. */
  read(request: RequestView): string | undefined {
    const values = this.#only === undefined ? this.#list(request) : request.header(this.#only);
    const first = values[0] ?? '';
    for (let n = 1; n < values.length; n++) if (values[n] !== first) return undefined;
    if (this.parameter === undefined || first === '') return first;
    // A value that only some servers read as the key authenticates nobody, but no server may see another key than the
    // one that was checked.
    return findDoubtfulValues(request.query, this.parameter).some((value) => value !== first) ? undefined : first;
  }

  #list(request: RequestView): string[] {
    const values = this.headers.flatMap((name) => request.header(name));
    if (this.parameter !== undefined) values.push(...findQueryValues(request.query, this.parameter));
    return values;
  }
}
