import type { ForwardingTls } from '@flotilla/proto/commands';

/** The settings of the writer of documents, which the agent passes in a file that only the agent's user may read. */
export interface WriterSettings {
  /** Addresses such as `https://search.example.com:9200`. */
  readonly hosts: readonly string[];
  /** Whether the hosts take turns. Otherwise one is used until it fails. */
  readonly loadbalance: boolean;
  /** The documents of a day go to `<index>-<yyyy.MM.dd>`. */
  readonly index: string;
  readonly skipsVerification: boolean;
  readonly tls: ForwardingTls | null;
  /** The header. Null: without. */
  readonly authorization: string | null;
  readonly ownLog: string;
  readonly countersLog: string;
}
