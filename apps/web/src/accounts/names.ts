import { ApiError, fieldError } from '../api/index.ts';
import { texts } from '../texts/index.ts';

const text = texts.accounts.names;
/** Checked here only so that one need not wait for the controller to say it. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NAME_MAX = 128;
export const NAME_HINT = text.nameHint.nameRule;

/** Undefined for a name that the controller would take; nothing to say of one that is not typed yet. */
export function judgeName(name: string): string | undefined {
  if (name === '' || (NAME.test(name) && name.length <= NAME_MAX)) return undefined;
  return name.length > NAME_MAX ? text.judgeName.tooLong(NAME_MAX) : NAME_HINT;
}

/** What to say at a name: that it is `taken`, that it cannot be one, or what the controller has said of the `field`. */
export function explainName(
  name: string,
  error: unknown,
  { taken, field = 'name' }: { readonly taken: string; readonly field?: string },
): string | undefined {
  if (error instanceof ApiError && error.code === 'record.exists') return taken;
  return judgeName(name) ?? fieldError(error, field);
}
