/** Limits of the labels of clients. */
export const LABELS_MAX = 64;
export const LABEL_KEY_MAX_CHARS = 63;
export const LABEL_VALUE_MAX_CHARS = 128;

export const LABEL_KEY_FORM: RegExp = /^[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?$/;
/** Neither control nor invisible characters, line breaks or halves of characters, and no blank at either end. */
export const LABEL_VALUE_FORM: RegExp = /^(?!\s)[^\p{C}\p{Zl}\p{Zp}]*(?<!\s)$/u;

export const LABEL_KEY_RULE =
  'lower-case letters, digits, dot, dash, underscore and slash; at most 63; starts and ends with a letter or digit';
export const LABEL_VALUE_RULE =
  'at most 128 characters; no control or invisible characters, no blank at the beginning or end';

/** Returns why the label is not valid. */
export function findLabelProblem(key: string, value: string): string | undefined {
  if (!LABEL_KEY_FORM.test(key))
    return `the key "${key.slice(0, LABEL_KEY_MAX_CHARS)}" is not valid: ${LABEL_KEY_RULE}`;
  if (value.length > LABEL_VALUE_MAX_CHARS || !LABEL_VALUE_FORM.test(value))
    return `the value of "${key}" is not valid: ${LABEL_VALUE_RULE}`;
  return undefined;
}

export interface LabelSelector {
  readonly key: string;
  /** Undefined selects every value. */
  readonly value: string | undefined;
}

/** Parses `key=value` or `key`. The value may contain further equals signs. Checks nothing. */
export function parseLabel(text: string): LabelSelector {
  const at = text.indexOf('=');
  return at < 0 ? { key: text, value: undefined } : { key: text.slice(0, at), value: text.slice(at + 1) };
}
