import type * as z from 'zod';
import type { Complaint } from '../problem.ts';

/**
 * Describes one engine for the policy document: the schema of its block, the rules between its fields, and its normal
 * form. To add an engine: a file here with such a spec, a line in the table in `index.ts`, and a folder in
 * `@flotilla/engines`.
 */
export interface EngineSpec<Options> {
  readonly schema: z.ZodType;
  /** True for an engine that inspects bodies: a document that uses it must enable body inspection in its defaults. */
  readonly needsBody?: boolean;
  /** True for a block that inspects bodies where enabled but works without. Called with a valid block. */
  readonly usesBody?: (block: Readonly<Record<string, unknown>>) => boolean;
  /** Fields whose value is the path of a data file in the bundle. */
  readonly fileFields?: readonly string[];
  /** Those of `fileFields` whose file is a secret that nobody may read back from policy storage. */
  readonly secretFileFields?: readonly string[];
  /**
   * Rules that the schema cannot express. Gets the raw block, which may have any shape, and reports only certain
   * errors. Without `files` (a document checked alone), it reports nothing about referenced files.
   */
  readonly check: (block: unknown, files?: DataFiles) => Complaint[];
  /**
   * Normal form: defaults filled in, derived values computed, text in canonical form. Gets a block that passed the
   * schema, which changes nothing and fills nothing in.
   */
  readonly normalize: (block: unknown, files: DataFiles) => Options;
}

/** The data files of a bundle by path. */
export type DataFiles = ReadonlyMap<string, Uint8Array>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The characters of a header name (RFC 9110 section 5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
