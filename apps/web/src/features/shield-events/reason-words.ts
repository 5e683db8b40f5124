import { texts } from './texts.tsx';

const text = texts.reasonWords;
/** Descriptions of reasons. A test compares the list with the filter's own. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  'apikey.missing': text.apikeyMissing,
  'apikey.unknown': text.apikeyUnknown,
  'apikey.expired': text.apikeyExpired,
  'apikey.method': text.apikeyMethod,
  'apikey.scope': text.apikeyScope,
  'apikey.rate': text.apikeyRate,
  'jwt.missing': text.jwtMissing,
  'jwt.invalid': text.jwtInvalid,
  'jwt.age': text.jwtAge,
  'jwt.type': text.jwtType,
  'jwt.missing_claim': text.jwtMissingClaim,
  'jwt.scope': text.jwtScope,
  'ratelimit.exceeded': text.ratelimitExceeded,
  'method.not_allowed': text.methodNotAllowed,
  'graphql.batch': text.graphqlBatch,
  'graphql.parse_error': text.graphqlParseError,
  'graphql.operations': text.graphqlOperations,
  'graphql.complexity': text.graphqlComplexity,
  'graphql.fragment_depth': text.graphqlFragmentDepth,
  'graphql.root_fields': text.graphqlRootFields,
  'graphql.depth': text.graphqlDepth,
  'graphql.aliases': text.graphqlAliases,
  'graphql.total_fields': text.graphqlTotalFields,
  'graphql.introspection': text.graphqlIntrospection,
  'graphql.directives': text.graphqlDirectives,
  'graphql.arguments': text.graphqlArguments,
  'graphql.incremental': text.graphqlIncremental,
  'graphql.cost': text.graphqlCost,
  'graphql.untrusted_document': text.graphqlUntrustedDocument,
  'graphql.upgrade': text.graphqlUpgrade,
  'body.too_large': text.bodyTooLarge,
  'body.undecodable': text.bodyUndecodable,
  'engine.error': text.engineError,
  'engine.timeout': text.engineTimeout,
};

/** Returns the description of a reason; empty for an unknown one. */
export function reasonWords(reason: string): string {
  return Object.hasOwn(REASON_WORDS, reason) ? (REASON_WORDS[reason] ?? '') : '';
}
