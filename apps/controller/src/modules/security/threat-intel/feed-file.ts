import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { FEED_ENTRIES_MAX, failSetting } from '@flotilla/contract';
import ipaddr from 'ipaddr.js';

interface FeedFile {
  /** Distinct networks in PostgreSQL's notation: `203.0.113.7/32`. */
  readonly networks: ReadonlySet<string>;
  readonly skipped: number;
  readonly skippedLines: readonly number[];
  /** Digest of the bytes, in hex. */
  readonly sha256: string;
}

/** No address or comment is longer; the rest of such a line is ignored. */
const LINE_MAX = 512;
const SKIPPED_SHOWN = 20;
/** Wider networks would cover a large part of the Internet. */
const PREFIX_MIN = { ipv4: 8, ipv6: 16 } as const;

/** Reads a feed: an address or a network per line; `#` and `;` start comments. Throws threat_feed.too_many. */
export async function readFeed(chunks: AsyncIterable<Buffer>): Promise<FeedFile> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder();
  const reader = new LineReader();
  for await (const chunk of chunks) {
    hash.update(chunk);
    reader.take(decoder.decode(chunk, { stream: true }));
    // A large file takes a second: lets other requests run in between.
    await setImmediate();
  }
  reader.take(`${decoder.decode()}\n`);
  return { ...reader.result(), sha256: hash.digest('hex') };
}

class LineReader {
  readonly #networks = new Set<string>();
  readonly #skippedLines: number[] = [];
  #skipped = 0;
  #line = 0;
  #rest = '';

  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    // A line that is too long is kept only as far as needed to detect that.
    this.#rest = (lines.pop() ?? '').slice(0, LINE_MAX + 1);
    for (const line of lines) this.#read(line);
  }

  result() {
    return { networks: this.#networks, skipped: this.#skipped, skippedLines: this.#skippedLines };
  }

  #read(line: string): void {
    this.#line += 1;
    const text = (line.split(/[#;]/, 1)[0] ?? '').trim();
    if (text === '' && line.length <= LINE_MAX) return;
    const network = line.length > LINE_MAX ? undefined : toNetwork(text);
    if (network === undefined) {
      this.#skipped += 1;
      if (this.#skippedLines.length < SKIPPED_SHOWN) this.#skippedLines.push(this.#line);
      return;
    }
    this.#networks.add(network);
    if (this.#networks.size > FEED_ENTRIES_MAX) throw failSetting('threat_feed.too_many', { max: FEED_ENTRIES_MAX });
  }
}

/**
 * The network with its host bits cleared; undefined if it is invalid or too wide. Refuses notations that programs read
 * differently (octal, hex, short).
 */
export function toNetwork(text: string): string | undefined {
  const [address = '', prefix, more] = text.split('/');
  if (more !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined;
  const parsed = parseAddress(address);
  if (!parsed) return undefined;
  const whole = parsed.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? whole : Number(prefix);
  if (bits > whole || bits < PREFIX_MIN[parsed.kind()]) return undefined;
  const cidr = `${parsed.toString()}/${bits}`;
  if (bits === whole) return cidr;
  const network =
    parsed.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${network.toString()}/${bits}`;
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (text.includes(':')) return text.includes('%') || !ipaddr.IPv6.isValid(text) ? undefined : ipaddr.IPv6.parse(text);
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}
