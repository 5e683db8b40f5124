import { hash } from 'node:crypto';
import { deserialize } from 'node:v8';
import { type BundleHead, headOf, type PackedItem, packPolicies } from '@flotilla/decision';
import { ok, type Result } from '@flotilla/kit';
import {
  type CheckedPolicies,
  checkPolicyFiles,
  digestBundle,
  type EffectiveDomain,
  type LoadedPolicies,
  type LoadProblem,
  type PolicyFile,
} from '@flotilla/policy';
import { LoadThread } from './load-thread.ts';

/** Up to this size a bundle is read in a millisecond or two, which no request notices. */
const INLINE_MAX_BYTES = 2 * 1024;

/** Items of one piece: building them takes a quarter of a millisecond. */
const ITEMS_PER_PIECE = 128;

/** A good bundle, in pieces. */
export interface OpenedBundle {
  readonly head: BundleHead;
  /** The items of `packPolicies`, in order, each piece as one message to another thread may be. Can be read once. */
  pieces(): AsyncIterable<Piece> | Iterable<Piece>;
}

/** Some items as another thread packed them (`v8.serialize`): bytes, which no garbage collection looks into. */
export type Piece = Uint8Array | readonly PackedItem[];

export function readPiece(piece: Piece): readonly PackedItem[] {
  return piece instanceof Uint8Array ? (deserialize(piece) as readonly PackedItem[]) : piece;
}

/** A file of a bundle. */
export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, 64 hex digits. */
  readonly sha256: string;
}

/** What became of the files of a bundle. */
export interface ReadFiles {
  /** `digestBundle` of the files. */
  readonly digest: string;
  readonly files: readonly SourceFile[];
  /** Undefined for a digest that was asked to be left out. */
  readonly result: Result<BundleHead, LoadProblem[]> | undefined;
}

export type LoadedBundle = Omit<ReadFiles, 'result'> & {
  readonly result: Result<OpenedBundle, LoadProblem[]> | undefined;
};

export function openBundle(loaded: LoadedPolicies): OpenedBundle {
  return { head: headOf(loaded), pieces: () => piecesOf(loaded.domains) };
}

function openChecked({ domains, ...head }: CheckedPolicies): OpenedBundle {
  return { head, pieces: () => piecesOf(domains()) };
}

export function* piecesOf(domains: Iterable<EffectiveDomain>): Generator<readonly PackedItem[], void> {
  let items: PackedItem[] = [];
  for (const item of packPolicies(domains)) {
    items.push(item);
    if (items.length < ITEMS_PER_PIECE) continue;
    yield items;
    items = [];
  }
  if (items.length > 0) yield items;
}

/** Reads the files of a bundle in this thread. Nothing is parsed where the digest is one of `unless`. */
export function readFiles(
  files: readonly PolicyFile[],
  unless: readonly string[],
): Omit<ReadFiles, 'result'> & { readonly result: Result<CheckedPolicies, LoadProblem[]> | undefined } {
  const digest = digestBundle(files);
  const result = unless.includes(digest) ? undefined : checkPolicyFiles(files);
  return { digest, files: files.map(describeFile), result };
}

function describeFile({ path, content }: PolicyFile): SourceFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { path, bytes: bytes.byteLength, sha256: hash('sha256', bytes, 'hex') };
}

export interface BundleLoaderOptions {
  /** A bundle is read in the thread that answers requests, because the thread for it failed. */
  readonly onThreadFailed?: ((error: unknown) => void) | undefined;
  /** The entry of that thread. */
  readonly entry?: URL | undefined;
}

/**
 * Reads bundles without holding up requests: a thread of its own parses, checks and normalises, and hands the result over
 * piece by piece. A thread that cannot be had, or that fails on its way, must not keep a policy out, so the bundle is then
 * read here.
 */
export class BundleLoader {
  readonly #options: BundleLoaderOptions;
  readonly #thread: LoadThread;

  constructor(options: BundleLoaderOptions = {}) {
    this.#options = options;
    this.#thread = new LoadThread(options.entry);
  }

  /** One at a time; the bundle before must have been read to its end, or given up. */
  async load(files: readonly PolicyFile[], unless: readonly string[] = []): Promise<LoadedBundle> {
    const size = files.reduce((sum, file) => sum + file.content.length, 0);
    if (size <= INLINE_MAX_BYTES) return loadHere(files, unless);
    try {
      const read = await this.#thread.load(files, unless);
      if (!read.result?.ok) return { ...read, result: read.result };
      return { ...read, result: ok({ head: read.result.value, pieces: () => this.#pieces(files) }) };
    } catch (error) {
      this.#options.onThreadFailed?.(error);
      return loadHere(files, unless);
    }
  }

  close(): void {
    this.#thread.close();
  }

  async *#pieces(files: readonly PolicyFile[]): AsyncGenerator<Piece, void> {
    let read = 0;
    try {
      for await (const piece of this.#thread.pieces()) {
        read += 1;
        yield piece;
      }
    } catch (error) {
      this.#options.onThreadFailed?.(error);
      const checked = checkPolicyFiles(files);
      if (!checked.ok) throw error;
      for (const piece of piecesOf(checked.value.domains())) {
        read -= 1;
        if (read < 0) yield piece;
      }
    }
  }
}

function loadHere(files: readonly PolicyFile[], unless: readonly string[]): LoadedBundle {
  const read = readFiles(files, unless);
  const { result } = read;
  return { ...read, result: result?.ok ? ok(openChecked(result.value)) : result };
}
