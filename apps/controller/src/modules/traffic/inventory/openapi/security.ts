import type { ObservedScheme } from '@flotilla/inventory';
import type { OperationFacts } from './operation-facts.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Schemes that OpenAPI 3.0 can express. It has no words for client certificates and signed requests: a document that described them by a header would be
 * wrong, so they are only in the extension of the operation.
 */
const SCHEMES: Partial<Record<ObservedScheme, Json>> = {
  jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  apikey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Requests had an API key. Check the name of its header.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Requests had a session cookie. Check its name, which is not recorded.',
  },
};

export function listSecuritySchemes(operations: readonly OperationFacts[]): Json {
  const used = new Set(operations.flatMap(({ schemes }) => schemes));
  return Object.fromEntries(Object.entries(SCHEMES).filter(([scheme]) => used.has(scheme as ObservedScheme)));
}

/** The alternatives that were seen. Undefined: there is nothing that OpenAPI can express. */
export function toSecurity(operations: readonly OperationFacts[]): Json[] | undefined {
  const used = new Set(operations.flatMap(({ schemes }) => schemes));
  const known = Object.keys(SCHEMES).filter((scheme) => used.has(scheme as ObservedScheme));
  if (known.length === 0) return undefined;
  const isOptional = operations.some(({ acceptsAnonymous }) => acceptsAnonymous);
  return [...known.map((scheme) => ({ [scheme]: [] })), ...(isOptional ? [{}] : [])];
}
