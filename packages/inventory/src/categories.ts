/** Values of the specification. */
export type EndpointCategory =
  | 'admin_endpoint'
  | 'auth_endpoint'
  | 'account_management'
  | 'payment_endpoint'
  | 'data_export'
  | 'api_docs'
  | 'metadata_leak';

const WORD = '(?:^|[/_.:-])';
const END = '(?=$|[/_.:(-])';

/**
 * Over the normalized path in lowercase, with words of camelCase divided by `-`. A word counts only as a whole: `/tokenizer` is no `token`, and `/important` no
 * `import`.
 */
const PATTERNS: readonly (readonly [EndpointCategory, RegExp])[] = [
  ['admin_endpoint', words('admins?|administration|administrators?|consoles?|management|manage|dashboards?')],
  ['auth_endpoint', words('log-?in|log-?out|sign-?in|sign-?out|sign-?up|oauth2?|sso|saml2?|tokens?|passwords?|passwd')],
  [
    'account_management',
    /(?:^|\/)(?:users?|accounts?|members?|customers?|me|profiles?|self)(?:\/[^/]+){0,2}?\/(?:change-|update-|reset-|set-|verify-)?(?:e-?mails?|passwords?|profiles?|phones?)(?=$|[/_.:-])/,
  ],
  ['payment_endpoint', words('check-?outs?|payments?|billing|charges?|refunds?|invoices?')],
  ['data_export', words('exports?|downloads?|dumps?|backups?|bulk')],
  ['api_docs', words('swagger|swagger-ui|openapi|open-api|api-docs?|redoc|graphiql')],
  [
    'metadata_leak',
    /(?:^|\/)(?:\.(?:env|git|aws|ssh|svn|hg|htpasswd|htaccess|npmrc|dockercfg|docker|kube)(?=$|[/._-])|server-status(?=$|\/)|server-info(?=$|\/))/,
  ],
];

function words(list: string): RegExp {
  return new RegExp(`${WORD}(?:${list})${END}`);
}

const PATH_CHARACTERS_MAX = 4096;

/** Several may apply. Expects a normalized path: placeholders carry no category. */
export function categorizePath(normalizedPath: string): readonly EndpointCategory[] {
  const text = normalizedPath
    .slice(0, PATH_CHARACTERS_MAX)
    .replace(/\{[^}/]*\}/g, '{}')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
  return PATTERNS.flatMap(([category, pattern]) => (pattern.test(text) ? [category] : []));
}
