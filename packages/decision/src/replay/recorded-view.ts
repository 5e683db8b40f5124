import type { AlikeNames, RequestView } from '@flotilla/engines';
import type { PathReadings } from '@flotilla/policy';
import { TrialView } from '../explain/trial-view.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** Headers that browsers leave out of exports. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

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
    if (this.#view.sourceIp === '' && this.record.carries.headers === 'some') this.#lacked.push('the client address');
    return this.#view.sourceIp;
  }

  /** The client's address; reading it is not noted. */
  get client(): string {
    return this.#view.sourceIp;
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
      case 'some':
        return true;
    }
  }
}
