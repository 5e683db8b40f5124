import type * as z from 'zod';
import type { Complaint } from '../problem.ts';

/**
 * What the policy document knows of one engine: the shape of its block, the rules between its fields, its normal form.
 * To add an engine: one file here with such a spec, one line in the table of `index.ts`, one folder in `@flotilla/engines`.
 */
export interface EngineSpec<Options> {
  readonly schema: z.ZodType;
  /** True for an engine that looks into bodies: a document that uses it must have body inspection on in its defaults. */
  readonly needsBody?: boolean;
  /** True for a block that looks into bodies where they are inspected, and does without where they are not. Gets a block that is valid. */
  readonly usesBody?: (block: Readonly<Record<string, unknown>>) => boolean;
  /** Fields whose value is the path of a data file in the bundle. */
  readonly fileFields?: readonly string[];
  /** Those of `fileFields` whose file is a secret: nobody may read it back from where policies are kept. */
  readonly secretFileFields?: readonly string[];
  /**
   * Rules that the schema cannot say. Gets the raw block, which may have any shape: reports only what it is sure of.
   * Without `files` (a document checked alone) nothing is said about the files that the block names.
   */
  readonly check: (block: unknown, files?: DataFiles) => Complaint[];
  /**
   * Normal form: defaults filled in, derived values computed, text in canonical spelling. Gets what has passed the schema,
   * which changes nothing and fills nothing in: it is not read by it again.
   */
  readonly normalize: (block: unknown, files: DataFiles) => Options;
}

/** The data files of a bundle by their path in it. */
export type DataFiles = ReadonlyMap<string, Uint8Array>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 9110 section 5.6.2: the characters of a header name. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
