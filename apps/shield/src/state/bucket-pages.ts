/** A bucket as saved between two runs. */
export interface KeptBucket {
  /** SHA-256 of its key, 32 bytes; undefined for requests without a key. */
  readonly digest: Buffer | undefined;
  readonly tokens: number;
  /** Time from the count of its tokens to the save, in ms. */
  readonly ageMs: number;
}

const DIGEST_BYTES = 32;
/** A flag for the digest, the digest, tokens and age as Float64, little-endian. */
export const BUCKET_BYTES = 1 + DIGEST_BYTES + 16;
/** Pages grow to a megabyte: there may be many limiters with few buckets each. */
const PAGE_BUCKETS_MIN = 16;
const PAGE_BUCKETS_MAX = 20_000;

/** Buckets in the format of the file, in pages: a million of them as objects would take hundreds of megabytes. */
export class BucketPages implements Iterable<KeptBucket> {
  readonly #pages: Buffer[] = [];
  /** Used bytes of the last page. */
  #used = 0;
  #length = 0;

  /** The buckets of a file: `bytes` contains nothing else, and is not changed. */
  static of(bytes: Buffer): BucketPages {
    const pages = new BucketPages();
    if (bytes.length > 0) pages.#pages.push(bytes);
    pages.#used = bytes.length;
    pages.#length = bytes.length / BUCKET_BYTES;
    return pages;
  }

  get length(): number {
    return this.#length;
  }

  add({ digest, tokens, ageMs }: KeptBucket): void {
    let page = this.#pages.at(-1);
    if (page === undefined || this.#used + BUCKET_BYTES > page.length) {
      const buckets = Math.min(PAGE_BUCKETS_MAX, Math.max(PAGE_BUCKETS_MIN, this.#length));
      page = Buffer.alloc(buckets * BUCKET_BYTES);
      this.#pages.push(page);
      this.#used = 0;
    }
    const at = this.#used;
    page[at] = digest === undefined ? 0 : 1;
    digest?.copy(page, at + 1);
    page.writeDoubleLE(tokens, at + 1 + DIGEST_BYTES);
    page.writeDoubleLE(ageMs, at + 9 + DIGEST_BYTES);
    this.#used += BUCKET_BYTES;
    this.#length += 1;
  }

  /** The used part of each page. */
  *bytes(): Generator<Buffer> {
    const last = this.#pages.length - 1;
    for (const [n, page] of this.#pages.entries()) yield n === last ? page.subarray(0, this.#used) : page;
  }

  *[Symbol.iterator](): Generator<KeptBucket> {
    for (const page of this.bytes()) {
      for (let at = 0; at < page.length; at += BUCKET_BYTES) {
        yield {
          digest: page[at] === 1 ? page.subarray(at + 1, at + 1 + DIGEST_BYTES) : undefined,
          tokens: page.readDoubleLE(at + 1 + DIGEST_BYTES),
          ageMs: page.readDoubleLE(at + 9 + DIGEST_BYTES),
        };
      }
    }
  }

  /** Whether every number is finite. */
  get isWhole(): boolean {
    for (const { tokens, ageMs } of this) if (!Number.isFinite(tokens) || !Number.isFinite(ageMs)) return false;
    return true;
  }
}
