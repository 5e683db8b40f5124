import { REDACTED, redactText } from './redact-text.ts';
import { carriesCredential, isPublic, type SecretKind, secretKindsOf } from './secret-names.ts';

/** Deeper content is refused, because the controller stores no deeper results. */
const DEPTH_MAX = 56;
const SOURCE_TEXTS = new Set(['inline_string', 'inline_bytes', 'inlineString', 'inlineBytes']);
const MATCHES = /^(?:string_match|value_match|(?:exact|prefix|suffix|contains|safe_regex|regex)_match)$/;
const VALUES = /^(?:value|raw_value)$/;

/** The kinds of the fields around a value. */
interface Context {
  readonly depth: number;
  /** The value of the named field, or an item of its list or map. */
  readonly direct: ReadonlySet<SecretKind>;
  /** Any of the fields around the value. */
  readonly around: ReadonlySet<SecretKind>;
}

const NONE: ReadonlySet<SecretKind> = new Set();

/** Content of a structure that the redactor does not follow to its end. */
export class TooDeepError extends Error {}

/**
 * Returns a copy of what Envoy's admin interface shows, without secrets. Envoy masks only the fields that its API marks as
 * sensitive. This masks them too, and those without a mark: the metadata of gRPC connections, headers with credentials, tokens
 * of access loggers and tracers, and secrets in free-form content, scripts and addresses. Throws TooDeepError.
 */
export function redactDump(value: unknown): unknown {
  return redact(value, { depth: 0, direct: NONE, around: NONE });
}

function redact(value: unknown, context: Context): unknown {
  if (context.depth > DEPTH_MAX) throw new TooDeepError(`nested more than ${DEPTH_MAX} levels deep`);
  if (typeof value === 'string') return isSecretLeaf(context) ? REDACTED : redactContent(value, context.depth);
  if (typeof value === 'number' || typeof value === 'boolean') return isSecretLeaf(context) ? REDACTED : value;
  if (typeof value !== 'object' || value === null) return value;
  const inner = { ...context, depth: context.depth + 1 };
  if (!Array.isArray(value)) return redactObject(value as Record<string, unknown>, inner);
  const direct = new Set([...inner.direct].filter((kind) => kind !== 'map'));
  return value.map((item) => redact(item, { ...inner, direct }));
}

function isSecretLeaf({ direct, around }: Context): boolean {
  return direct.has('text') || around.has('message');
}

function redactObject(object: Readonly<Record<string, unknown>>, context: Context): unknown {
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => {
    if (context.around.has('message') && isPublic(name)) return [name, value];
    if (isSecretMember(name, object, context)) return [name, maskLeaves(value, context.depth)];
    return [name, redact(value, toInner(name, value, context))];
  });
  return Object.fromEntries(entries);
}

function isSecretMember(
  name: string,
  { key, name: own }: Readonly<Record<string, unknown>>,
  { around }: Context,
): boolean {
  if (around.has('source') && SOURCE_TEXTS.has(name)) return true;
  if (around.has('headers') && VALUES.test(name)) return true;
  if (around.has('keys') && name === 'key') return true;
  if (typeof key === 'string' && carriesCredential(key) && VALUES.test(name)) return true;
  return typeof own === 'string' && carriesCredential(own) && MATCHES.test(name);
}

function toInner(name: string, value: unknown, { depth, direct, around }: Context): Context {
  const kinds = secretKindsOf(name);
  const isTextOfMap = direct.has('map') && (typeof value === 'string' || typeof value === 'number') && name !== '@type';
  return {
    depth,
    direct: isTextOfMap ? new Set([...kinds, 'text']) : kinds,
    around: kinds.size === 0 ? around : new Set([...around, ...kinds]),
  };
}

function maskLeaves(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new TooDeepError(`nested more than ${DEPTH_MAX} levels deep`);
  if (Array.isArray(value)) return value.map((item) => maskLeaves(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value === null ? null : REDACTED;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskLeaves(item, depth + 1)]));
}

/** The configuration of an extension may be a text that is JSON. */
function redactContent(text: string, depth: number): string {
  if (!/^\s*[{[]/.test(text)) return redactText(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return redactText(text);
  }
  const redacted = JSON.stringify(redact(parsed, { depth: depth + 1, direct: NONE, around: NONE }));
  return redacted === JSON.stringify(parsed) ? redactText(text) : redacted;
}
