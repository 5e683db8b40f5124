import { messages } from 'virtual:policy';
import type { MessageDescription } from '../../forms/schema-source.ts';
import { texts } from './texts.ts';

/** Types of the policy language, by the titles in its schema (packages/policy). */
export const POLICY_TYPE = 'policy.SecurityPolicy';
export const DEFAULTS_TYPE = 'policy.Defaults';
export const DOMAIN_TYPE = 'policy.Domain';
export const ROUTE_TYPE = 'policy.Route';
export const ENGINES_TYPE = 'policy.Engines';
export const BLOCK_RESPONSE_TYPE = 'policy.BlockResponse';

const DEFAULTS = new Map(messages.map(({ message, defaults }) => [message.type_name, defaults]));

/** The messages of the policy language. A hint includes the default of its field. */
export const POLICY_MESSAGES: ReadonlyMap<string, MessageDescription> = new Map(
  messages.map(({ message, defaults }) => [
    message.type_name,
    { ...message, fields: message.fields.map((field) => ({ ...field, hint: withDefault(field, defaults) })) },
  ]),
);

function withDefault(
  { name, hint = '' }: MessageDescription['fields'][number],
  defaults: Readonly<Record<string, string>>,
): string {
  const value = defaults[name];
  return value === undefined ? hint : texts.withDefault(hint, value);
}

/** All member names, each after those that precede it in a message with both. */
export const MEMBER_ORDER: readonly string[] = messages.reduce<readonly string[]>(
  (order, { message: { fields } }) =>
    fields.reduceRight((ordered, { name }, index) => {
      if (ordered.includes(name)) return ordered;
      const next = fields.slice(index + 1).find((later) => ordered.includes(later.name));
      return next ? ordered.toSpliced(ordered.indexOf(next.name), 0, name) : ordered.concat(name);
    }, order),
  [],
);

/** Default of a field, as it would be written; undefined without one. */
export function defaultOf(type: string, name: string): string | undefined {
  return DEFAULTS.get(type)?.[name];
}
