export type { UserView as User } from '@flotilla/contract';

/** Checked here only so that one need not wait for the controller to say it. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
export const NAME_MAX = 128;
export const NAME_HINT = 'Letters, digits, dot, dash and underscore; it starts and ends with a letter or digit.';

/** Undefined for a name that the controller would take; nothing to say of one that is not typed yet. */
export function judgeName(name: string): string | undefined {
  if (name === '' || (NAME.test(name) && name.length <= NAME_MAX)) return undefined;
  return name.length > NAME_MAX ? `${NAME_MAX} characters at most.` : NAME_HINT;
}

/** A filter of the API that takes one boolean: both boxes ticked is no filter. */
export function toBooleanFilter(values: readonly string[] | undefined): 'true' | 'false' | undefined {
  if (values?.length !== 1) return undefined;
  return values[0] === 'true' ? 'true' : values[0] === 'false' ? 'false' : undefined;
}
