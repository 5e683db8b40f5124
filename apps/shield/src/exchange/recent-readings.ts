import { deriveSourceIp } from '@flotilla/engines';
import { RecentTexts } from '@flotilla/grpc-wire';
import { canonicalHost, readHosts } from '@flotilla/policy';

/** The readings of an authority. */
export interface HostReading {
  readonly host: string;
  readonly hosts: readonly string[] | undefined;
}

/** Caches readings of values that most requests share. One per thread. */
export class RecentReadings {
  readonly trustedHops: number;
  readonly hosts = new RecentTexts<HostReading>((authority) => ({
    host: canonicalHost(authority),
    hosts: readHosts(authority),
  }));
  /** A header with one line. */
  readonly lines = new RecentTexts<readonly string[]>((text) => [trimLine(text)]);
  /** The client's address for an X-Forwarded-For with one line. */
  readonly sourceIps: RecentTexts<string>;

  constructor(trustedHops: number) {
    this.trustedHops = trustedHops;
    this.sourceIps = new RecentTexts((line) => deriveSourceIp({ forwardedFor: [line], peerAddress: '' }, trustedHops));
  }
}

/** Trims a header line; copies it, because a slice would keep the whole line alive. */
export function trimLine(line: string): string {
  const trimmed = line.trim();
  return trimmed.length === line.length ? line : Buffer.from(trimmed).toString();
}
