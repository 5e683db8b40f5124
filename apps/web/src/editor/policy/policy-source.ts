import type { SchemaSource } from '../../forms/schema-source.ts';
import { list, literal, object, type Skeleton } from '../suggest/skeleton.ts';
import type { Snippet } from '../suggest/suggestion.ts';
import { DOMAIN_TYPE, ENGINES_TYPE, POLICY_MESSAGES, POLICY_TYPE, ROUTE_TYPE } from './policy-messages.ts';
import { texts } from './texts.ts';

const text = texts.policySource;

/**
 * The policy language as a schema source: everything is known at once, and it has no references to stored documents.
 */
export const policySource: SchemaSource = {
  peek: (type) => POLICY_MESSAGES.get(type),
  load: async (type) => POLICY_MESSAGES.get(type),
  extensions: async () => [],
  candidates: async () => ({ items: [], truncated: false }),
};

const HOLE: Skeleton = { kind: 'hole' };

const apiKey = object({ keys: list(object({ sha256: { kind: 'text' }, subject: { kind: 'text' } })) });
const jwt = object({ algorithms: list(literal('RS256')), public_key_file: { kind: 'text' } });
const graphql = object({ max_depth: literal(8), max_aliases: literal(15), block_introspection: literal(true) });
const rateLimit = object({ requests_per_second: literal(10), key: literal('ip') });
const route = object({ match: object({ path_prefix: literal('/') }), policy: object({ engines: HOLE }) });
const domain = object({ hosts: list({ kind: 'text' }), routes: list(route) });

export const POLICY_SNIPPETS: readonly Snippet[] = [
  {
    type: POLICY_TYPE,
    label: text.newPolicy,
    detail: text.newPolicyDetail,
    value: object({
      apiVersion: literal('flotilla.dev/v1'),
      kind: literal('SecurityPolicy'),
      metadata: object({ name: { kind: 'text' } }),
      spec: object({ defaults: object({ mode: literal('detect') }), domains: list(domain) }),
    }),
  },
  { type: DOMAIN_TYPE, label: text.newDomain, detail: text.newDomainDetail, value: domain },
  { type: ROUTE_TYPE, label: text.newRoute, detail: text.newRouteDetail, value: route },
  {
    type: ENGINES_TYPE,
    label: text.newApiKey,
    detail: text.newApiKeyDetail,
    value: object({ api_key: apiKey }),
  },
  {
    type: ENGINES_TYPE,
    label: text.newRateLimit,
    detail: text.newRateLimitDetail,
    value: object({ rate_limit: rateLimit }),
  },
  {
    type: ENGINES_TYPE,
    label: text.newJwt,
    detail: text.newJwtDetail,
    value: object({ jwt }),
  },
  {
    type: ENGINES_TYPE,
    label: text.newGraphql,
    detail: text.newGraphqlDetail,
    value: object({ graphql }),
  },
];
