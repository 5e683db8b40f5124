import type { ErrorTable } from './define.ts';
import { FOUNDATION_ERRORS } from './foundation.ts';

export { createFail, type ErrorEntry, type ErrorTable, type FailOptions } from './define.ts';
export { FOUNDATION_ERRORS, fail } from './foundation.ts';

/** All codes that the API can answer with: one table, documented in docs/errors.md. */
export const ERRORS: ErrorTable = { ...FOUNDATION_ERRORS };
