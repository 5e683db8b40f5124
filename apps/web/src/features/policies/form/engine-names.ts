import { ENGINES_TYPE, POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import type { FieldDescription } from '../../../forms/schema-source.ts';
import { texts } from './texts.tsx';

const text = texts.engineNames;

/** Fields of all engines, in the order of the form. */
export const ENGINE_FIELDS: readonly FieldDescription[] = POLICY_MESSAGES.get(ENGINES_TYPE)?.fields ?? [];

const TITLES: Readonly<Record<string, string>> = {
  rate_limit: text.rateLimit,
  methods: text.methods,
  api_key: text.apiKey,
  jwt: text.jwt,
  graphql: 'GraphQL',
};

export function engineTitle(name: string): string {
  return TITLES[name] ?? name;
}

/** Returns the initial options of an added engine: sensible numbers, without credentials. */
export function starterBlock(name: string): Readonly<Record<string, unknown>> {
  switch (name) {
    case 'rate_limit':
      return { requests_per_second: 20, key: 'ip' };
    case 'methods':
      return { allow: ['GET', 'HEAD', 'OPTIONS'] };
    case 'api_key':
      return { keys: [] };
    case 'jwt':
      return { algorithms: ['RS256'] };
    case 'graphql':
      return { max_depth: 10, max_aliases: 15, max_root_fields: 20, max_operations: 10, block_introspection: true };
    default:
      return {};
  }
}
