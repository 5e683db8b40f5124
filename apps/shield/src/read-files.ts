import { hash } from 'node:crypto';
import type { BundleHead } from '@flotilla/decision';
import type { Result } from '@flotilla/kit';
import {
  type CheckedPolicies,
  checkPolicyFiles,
  digestBundle,
  type LoadProblem,
  type PolicyFile,
} from '@flotilla/policy';

export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, 64 hex digits. */
  readonly sha256: string;
}

/** The result for the files of a bundle. */
export interface ReadFiles {
  /** `digestBundle` of the files. */
  readonly digest: string;
  readonly files: readonly SourceFile[];
  /** Undefined for a digest that the caller already has. */
  readonly result: Result<BundleHead, LoadProblem[]> | undefined;
}

/** Reads the files of a bundle in this thread. Does not parse them if their digest is in `unless`. */
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
