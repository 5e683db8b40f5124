import type { EndpointCategory } from '@flotilla/inventory';
import { Random } from '@flotilla/testkit/random';

export interface LabelledPath {
  readonly path: string;
  readonly truth: readonly EndpointCategory[];
}

/** Words that decide, and words that only contain them. */
const WORDS: Readonly<Record<EndpointCategory, readonly string[]>> = {
  admin_endpoint: ['admin', 'console', 'management', 'dashboard', 'dashboards', 'admins'],
  auth_endpoint: [
    'login',
    'signin',
    'sign-in',
    'oauth',
    'oauth2',
    'sso',
    'saml',
    'token',
    'tokens',
    'password',
    'logout',
    'signup',
  ],
  account_management: [
    'users/{id}/email',
    'users/{id}/password',
    'user/profile',
    'users/{uuid}/profile',
    'account/email',
    'me/password',
  ],
  payment_endpoint: [
    'checkout',
    'payment',
    'payments',
    'billing',
    'charge',
    'charges',
    'refund',
    'refunds',
    'invoice',
    'invoices',
  ],
  data_export: ['export', 'exports', 'download', 'dump', 'backup', 'backups', 'bulk'],
  api_docs: ['swagger', 'swagger.json', 'swagger-ui', 'openapi', 'openapi.json', 'api-docs', 'redoc', 'graphiql'],
  metadata_leak: ['.env', '.git', '.git/config', '.aws/credentials', '.ssh/id_rsa', 'server-status', '.env.production'],
};

const NEAR_MISSES = [
  'badminton',
  'consolidate',
  'tokenizer',
  'loginov',
  'blogin',
  'passport',
  'discharge',
  'recharge',
  'exporter',
  'important',
  'bulky',
  'dumpling',
  'environment',
  'gitignore',
  'config',
  'settings.json',
  'users/{id}/emailer',
  'profiles',
  'email',
  'products',
  'envelope',
  'git',
  'aws',
  'ssh-keys',
  'status',
  'docs',
  'opening',
  'refundable',
  'checkouting',
  'minister',
  'samland',
  'ssot',
  'redocumented',
];

/** A word at several places of a path, and in several spellings. A password of an account has two categories. */
export function generateCategories(): LabelledPath[] {
  const random = new Random(11);
  const labelled: LabelledPath[] = [];
  const spell = (word: string): string[] => [
    `/${word}`,
    `/v1/${word}`,
    `/api/${word.includes('/') ? word : word.charAt(0).toUpperCase() + word.slice(1)}`,
    `/shops/{id}/${word}`,
    ...(word.includes('.') ? [] : [`/${random.pick(['items', 'orders', 'things'])}/${word}/{id}`]),
  ];
  for (const [category, words] of Object.entries(WORDS)) {
    for (const word of words)
      for (const path of spell(word))
        labelled.push({
          path,
          truth: word.endsWith('/password') ? ['auth_endpoint', 'account_management'] : [category as EndpointCategory],
        });
  }
  for (const word of NEAR_MISSES) for (const path of spell(word)) labelled.push({ path, truth: [] });
  return labelled;
}
