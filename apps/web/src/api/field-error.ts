import { ApiError } from './call.ts';

/** Returns the message of the controller about one field, to show it at that field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path === field)?.message;
}
