import type { AlikeNames, RequestView } from '@flotilla/engines';
import type { PathReadings } from '@flotilla/policy';
import { TrialView } from '../explain/trial-view.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** Headers that browsers leave out of exports. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** The headers in which the agent finds credentials: a request that it calls anonymous had none of them. */
const OBSERVED_CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-forwarded-authorization',
  'x-original-authorization',
  'x-api-key',
  'x-auth-token',
]);

export const LACKED_QUERY = 'the query';

/** A recorded request as engines see it. Notes which missing parts they ask for. */
export class RecordedView implements RequestView {
  readonly record: RecordedRequest;
  readonly #view: TrialView;
  #lacked: string[] = [];

  constructor(record: RecordedRequest, trustedHops: number) {
    this.record = record;
    this.#view = new TrialView({ trusted_hops: trustedHops, ...record.request });
  }

  get method(): string {
    return this.#view.method;
  }
  get host(): string {
    return this.#view.host;
  }
  get hosts(): readonly string[] | undefined {
    return this.#view.hosts;
  }
  get rawPath(): string {
    return this.#view.rawPath;
  }
  get query(): string {
    if (this.record.carries.query === 'missing') this.#lacked.push(LACKED_QUERY);
    return this.#view.query;
  }
  get paths(): PathReadings {
    return this.#view.paths;
  }

  get sourceIp(): string {
    if (this.#view.sourceIp === '' && this.#hasSomeHeaders) this.#lacked.push('the client address');
    return this.#view.sourceIp;
  }

  get #hasSomeHeaders(): boolean {
    return this.record.carries.headers === 'some' || this.record.carries.headers === 'no_credentials';
  }

  /** The name or address of the client; reading it is not noted. */
  get client(): string {
    return this.record.client ?? this.#view.sourceIp;
  }

  header(name: string): readonly string[] {
    const lines = this.#view.header(name);
    if (lines.length === 0 && this.#mayHaveSent(name)) this.#lacked.push(`header ${name}`);
    return lines;
  }

  /**
   * Other spellings of a name that the record lacks are not noted: clients rarely send them, and the plain name is
   * asked for separately.
   */
  findNames(alike: AlikeNames): readonly string[] {
    return this.#view.findNames(alike);
  }

  /** Returns the missing parts that were asked for since the last call. */
  takeLacked(): readonly string[] {
    const lacked = this.#lacked;
    if (lacked.length > 0) this.#lacked = [];
    return lacked;
  }

  #mayHaveSent(name: string): boolean {
    switch (this.record.carries.headers) {
      case 'all':
        return false;
      case 'but_credentials':
        return CREDENTIALS.has(name);
      case 'no_credentials':
        return !OBSERVED_CREDENTIALS.has(name);
      case 'some':
        return true;
    }
  }
}
