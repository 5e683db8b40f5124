import { deriveSourceIp } from '@flotilla/engines';
import { RecentTexts } from '@flotilla/grpc-wire';
import { canonicalHost, readHosts } from '@flotilla/policy';

/** How an authority is read. */
export interface HostReading {
  readonly host: string;
  readonly hosts: readonly string[] | undefined;
}

/** How the values that most requests of a thread have in common were read before. One for all requests of the thread. */
export class RecentReadings {
  readonly trustedHops: number;
  readonly hosts = new RecentTexts<HostReading>((authority) => ({
    host: canonicalHost(authority),
    hosts: readHosts(authority),
  }));
  /** A header of one line. */
  readonly lines = new RecentTexts<readonly string[]>((text) => [trimLine(text)]);
  /** The client, by an X-Forwarded-For of one line. */
  readonly sourceIps: RecentTexts<string>;

  constructor(trustedHops: number) {
    this.trustedHops = trustedHops;
    this.sourceIps = new RecentTexts((line) => deriveSourceIp({ forwardedFor: [line], peerAddress: '' }, trustedHops));
  }
}

/** A header line without surrounding white space: a text of its own, where a slice would keep the whole line alive. */
export function trimLine(line: string): string {
  const trimmed = line.trim();
  return trimmed.length === line.length ? line : Buffer.from(trimmed).toString();
}
