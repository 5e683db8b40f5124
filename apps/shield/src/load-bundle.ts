import { type BundleHead, headOf, packPolicies } from '@flotilla/decision';
import { ok, type Result } from '@flotilla/kit';
import {
  type CheckedPolicies,
  checkPolicyFiles,
  type LoadedPolicies,
  type LoadProblem,
  type PolicyFile,
} from '@flotilla/policy';
import { LoadThread } from './load-thread.ts';
import { type ReadFiles, readFiles } from './read-files.ts';

/** A bundle of up to this size is read in a millisecond or two, which delays no request noticeably. */
const INLINE_MAX_BYTES = 2 * 1024;

/** A valid bundle in pieces. */
export interface OpenedBundle {
  readonly head: BundleHead;
  /** Pieces of `packPolicies`, in order. Can be iterated once. */
  pieces(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
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

export interface BundleLoaderOptions {
  /** A bundle is read in the thread that answers requests, because its own thread failed. */
  readonly onThreadFailed?: ((error: unknown) => void) | undefined;
  /** The entry of that thread. */
  readonly entry?: URL | undefined;
}

/**
 * Reads bundles without delaying requests: a separate thread parses, checks and normalizes, and delivers the result
 * piece by piece. If the thread is unavailable or fails, the bundle is read in this thread, so that a policy always
 * takes effect.
 */
export class BundleLoader {
  readonly #options: BundleLoaderOptions;
  readonly #thread: LoadThread;

  constructor(options: BundleLoaderOptions = {}) {
    this.#options = options;
    this.#thread = new LoadThread(options.entry);
  }

  /** One at a time; the previous bundle must have been read completely or abandoned. */
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
