import { hash } from 'node:crypto';
import { type BundleHead, headOf, packPolicies } from '@flotilla/decision';
import { ok, type Result } from '@flotilla/kit';
import {
  type CheckedPolicies,
  checkPolicyFiles,
  digestBundle,
  type LoadedPolicies,
  type LoadProblem,
  type PolicyFile,
} from '@flotilla/policy';
import { LoadThread } from './load-thread.ts';

/** Up to this size a bundle is read in a millisecond or two, which no request notices. */
const INLINE_MAX_BYTES = 2 * 1024;

/** A good bundle, in pieces. */
export interface OpenedBundle {
  readonly head: BundleHead;
  /** Of `packPolicies`, in order. Can be read once. */
  pieces(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
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
  return { head: headOf(loaded), pieces: () => packPolicies(loaded.domains) };
}

function openChecked({ domains, ...head }: CheckedPolicies): OpenedBundle {
  return { head, pieces: () => packPolicies(domains()) };
}

/** Reads the files of a bundle in this thread. Nothing is parsed where the digest is one of `unless`. */
export function readFiles(
  files: readonly PolicyFile[],
  unless: readonly string[],
): Omit<ReadFiles, 'result'> & { readonly result: Result<CheckedPolicies, LoadProblem[]> | undefined } {
  const digest = digestBundle(files);
  const result = unless.includes(digest) ? undefined : checkPolicyFiles(files, digest);
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
    if (size <= INLINE_MAX_BYTES) {
      this.#thread.rest();
      return loadHere(files, unless);
    }
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

  async *#pieces(files: readonly PolicyFile[]): AsyncGenerator<Uint8Array, void> {
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
      for (const piece of packPolicies(checked.value.domains())) {
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
