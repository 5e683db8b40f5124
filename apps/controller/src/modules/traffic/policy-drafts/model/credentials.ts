import type { InventoryOperationSummary } from '@flotilla/contract';
import { PLACEHOLDER_MARK } from '@flotilla/policy';
import type { PathGroup } from './plan.ts';

type Scheme = InventoryOperationSummary['auth_schemes'][number]['scheme'];

export interface CredentialChoice {
  readonly engine: 'jwt' | 'api_key';
  readonly why: string;
}

/** The engine that checks the credentials which a path, or else its host, accepts. `undefined`: no engine checks them. */
export function chooseCredential(
  own: ReadonlySet<Scheme>,
  ofHost: ReadonlySet<Scheme>,
): CredentialChoice | { readonly engine: undefined; readonly why: string } {
  for (const [schemes, place] of [
    [own, 'Requests of this path have'],
    [ofHost, 'Other paths of this host have'],
  ] as const) {
    if (schemes.has('jwt') || schemes.has('bearer')) return { engine: 'jwt', why: `${place} bearer tokens.` };
    if (schemes.has('apikey')) return { engine: 'api_key', why: `${place} API keys.` };
    const other = [...schemes].find((scheme) => scheme !== 'none');
    if (other !== undefined) {
      return {
        engine: undefined,
        why: `${place} credentials of the kind "${other}", which no engine of the filter checks.`,
      };
    }
  }
  return {
    engine: 'jwt',
    why: 'No credentials were seen on this host. Tokens are the default; replace the engine if you use keys.',
  };
}

export function schemesOf(groups: readonly PathGroup[]): ReadonlySet<Scheme> {
  return new Set(
    groups.flatMap(({ operations }) =>
      operations.flatMap(({ auth_schemes: schemes }) => schemes.map(({ scheme }) => scheme)),
    ),
  );
}

const replace = (what: string) => `${PLACEHOLDER_MARK}${what}`;

/** The block of an engine, with placeholders that no policy is stored with. */
export function credentialBlock(engine: 'jwt' | 'api_key'): Record<string, unknown> {
  if (engine === 'jwt') {
    return {
      issuer: replace('issuer of the tokens, as their claim iss has it'),
      algorithms: ['RS256'],
      jwks_file: replace('path of the file with the key set, and add the file to the policy'),
    };
  }
  return {
    source: 'header',
    name: 'X-Api-Key',
    keys: [{ sha256: replace('SHA-256 of a key'), subject: replace('name of the owner of the key') }],
  };
}
