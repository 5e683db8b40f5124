/** What each reason means, in words. A test holds the list against the filter's own. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  'apikey.missing': 'no key was sent',
  'apikey.unknown': 'the key is not a known one',
  'apikey.expired': 'the key is not taken at this time',
  'apikey.scope': 'the key lacks the scope that the path needs',
  'jwt.missing': 'no token was sent',
  'jwt.invalid': 'the token does not hold: signature, time, issuer or audience',
  'jwt.missing_claim': 'the token lacks a claim that is required',
  'ratelimit.exceeded': 'more requests than the limit',
  'graphql.batch': 'more queries in one request than allowed',
  'graphql.parse_error': 'the query cannot be read, or is too large to be',
  'graphql.operations': 'more operations than allowed',
  'graphql.complexity': 'the query asks for more than the budget',
  'graphql.fragment_depth': 'fragments are spread too deep',
  'graphql.root_fields': 'more root fields than allowed',
  'graphql.depth': 'the query is nested too deep',
  'graphql.aliases': 'more aliases than allowed',
  'graphql.total_fields': 'more fields than allowed',
  'graphql.introspection': 'the query asks for the schema',
  'body.too_large': 'the body is longer than what is read',
  'body.undecodable': 'the body cannot be decoded',
  'engine.error': 'the engine failed inside',
  'engine.timeout': 'the time for the request was used up',
};

/** A reason in words; empty for one that is not known here. */
export function reasonWords(reason: string): string {
  return Object.hasOwn(REASON_WORDS, reason) ? (REASON_WORDS[reason] ?? '') : '';
}
