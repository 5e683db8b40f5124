/** Checked here only so that one need not wait for the controller to say it. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NAME_MAX = 128;
export const NAME_HINT = 'Letters, digits, dot, dash and underscore; it starts and ends with a letter or digit.';

/** Undefined for a name that the controller would take; nothing to say of one that is not typed yet. */
export function judgeName(name: string): string | undefined {
  if (name === '' || (NAME.test(name) && name.length <= NAME_MAX)) return undefined;
  return name.length > NAME_MAX ? `${NAME_MAX} characters at most.` : NAME_HINT;
}
