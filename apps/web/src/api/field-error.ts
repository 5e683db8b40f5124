import { ApiError } from './call.ts';

/** What the controller says of one field, so that it stands at the field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path === field)?.message;
}
