import { ApiError } from './call.ts';

/** Returns what the controller says about one field, to show it there. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path === field)?.message;
}
