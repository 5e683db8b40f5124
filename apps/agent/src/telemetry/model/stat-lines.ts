/** A line of Envoy's statistics. The value of a histogram is a list of buckets. */
export interface StatLine {
  readonly name: string;
  readonly value: string;
}

/** Many times what Envoy writes about a name of two kilobytes. */
const LINE_MAX_CHARS = 64 * 1024;
/** Five times as many buckets as Envoy has by default. */
const BUCKETS_MAX = 100;

/** Splits a stream of text into lines and keeps the last, incomplete one. Throws at a line that is too long. */
export class LineSplitter {
  #rest = '';

  /** Calls `take` with each complete line. */
  add(text: string, take: (line: string) => void): void {
    const whole = this.#rest === '' ? text : this.#rest + text;
    let start = 0;
    for (let end = whole.indexOf('\n'); end >= 0; end = whole.indexOf('\n', start)) {
      take(whole.slice(start, end));
      start = end + 1;
    }
    this.#rest = whole.slice(start);
    // The rest is searched again with every part.
    if (this.#rest.length > LINE_MAX_CHARS) throw new Error(`a line has more than ${LINE_MAX_CHARS} characters`);
  }
}

/** Parses `<name>: <value>`. Returns undefined for another line. */
export function parseStatLine(line: string): StatLine | undefined {
  const at = line.lastIndexOf(': ');
  return at <= 0 ? undefined : { name: line.slice(0, at), value: line.slice(at + 2) };
}

/** Returns a count. Returns undefined for another value, for example of a histogram without values. */
export function parseCount(value: string): number | undefined {
  const count = Number(value);
  return value !== '' && count >= 0 && count <= 2 ** 64 ? count : undefined;
}

/** Counts by bucket since the start of Envoy. `bounds` are the upper bounds of the buckets in microseconds, ascending. */
export interface Buckets {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Parses `B0.5(1,3) B1(0,4) ...`: the upper bound in milliseconds, the count of the last five seconds and the count since the
 * start. Returns undefined for another text.
 */
export function parseBuckets(value: string): Buckets | undefined {
  const bounds: number[] = [];
  const counts: number[] = [];
  for (const bucket of value.split(' ')) {
    const open = bucket.indexOf('(');
    const comma = bucket.indexOf(',', open);
    if (!bucket.startsWith('B') || !bucket.endsWith(')') || comma < 0) return undefined;
    const bound = Math.round(Number(bucket.slice(1, open)) * 1000);
    const count = parseCount(bucket.slice(comma + 1, -1));
    if (count === undefined || !Number.isSafeInteger(bound) || bound <= (bounds.at(-1) ?? -1)) return undefined;
    if (bounds.length >= BUCKETS_MAX) return undefined;
    bounds.push(bound);
    counts.push(count);
  }
  return { bounds, counts };
}
