import { ApiError, fieldError } from '../api/index.ts';
import { texts } from '../texts/index.ts';

const text = texts.accounts.names;
/** Checked here only for early feedback; the controller decides. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NAME_MAX = 128;
export const NAME_HINT = text.nameHint.nameRule;

/** Returns undefined for a valid name and for an empty one. */
export function judgeName(name: string): string | undefined {
  if (name === '' || (NAME.test(name) && name.length <= NAME_MAX)) return undefined;
  return name.length > NAME_MAX ? text.judgeName.tooLong(NAME_MAX) : NAME_HINT;
}

/** Says what is wrong with a name: it is `taken`, it is invalid, or the controller refused the `field`. */
export function explainName(
  name: string,
  error: unknown,
  { taken, field = 'name' }: { readonly taken: string; readonly field?: string },
): string | undefined {
  if (error instanceof ApiError && error.code === 'record.exists') return taken;
  return judgeName(name) ?? fieldError(error, field);
}
