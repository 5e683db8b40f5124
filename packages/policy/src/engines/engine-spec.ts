import type { z } from 'zod';
import type { Finding } from '../problem.ts';

/**
 * What the policy document knows of one engine: the shape of its block, the rules between its fields, its normal form.
 * To add an engine: one file here with such a spec, one line in the table of `index.ts`, one folder in `@flotilla/engines`.
 */
export interface EngineSpec<Options> {
  readonly schema: z.ZodType;
  /** Rules that the schema cannot say. Gets the raw block, which may have any shape: reports only what it is sure of. */
  readonly check: (block: unknown) => Finding[];
  /** Normal form: defaults filled in, derived values computed, text in canonical spelling. Call only with a valid block. */
  readonly normalize: (block: unknown) => Options;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 9110 section 5.6.2: the characters of a header name. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
