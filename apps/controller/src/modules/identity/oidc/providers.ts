import { failSignIn, OIDC_SETTINGS, type OidcSettings, type SettingTrial } from '@flotilla/contract';
import { type Clock, isLoopback, type Logger } from '@flotilla/kit';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import type { Settings } from '../../../platform/settings/index.ts';
import type { Giver } from './grant-store.ts';

/** The discovery document is cached for this time. */
const DISCOVERED_MS = 60 * 60 * 1000;

export interface Provider {
  readonly settings: OidcSettings;
  /** For one step of one sign-in: its cache of the provider's keys is empty. */
  readonly client: Configuration;
  /** For refresh tokens: it fetches no keys, because that could fail after the provider has used up the token. */
  readonly keyless: Configuration;
}

interface Deps {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Discovered {
  readonly version: string;
  readonly until: number;
  readonly client: Promise<Configuration>;
}

/** The configured OpenID Connect providers. */
export class Providers {
  readonly #deps: Deps;
  readonly #discovered = new Map<string, Discovered>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.settings.addTest(OIDC_SETTINGS, tryProvider);
  }

  /** The enabled providers. */
  async list(): Promise<{ name: string; title: string }[]> {
    return (await this.#enabled()).map(({ name, settings: { title } }) => ({ name, title }));
  }

  /** The enabled providers that are asked about people between sign-ins. */
  async listAsked(): Promise<{ name: string; giver: Giver }[]> {
    const asked = (await this.#enabled()).filter(({ settings }) => isAskedAgain(settings));
    return asked.map(({ name, settings }) => ({ name, giver: giverOf(settings) }));
  }

  /** Names of those that are off only because their stored settings are refused. */
  async listRefused(): Promise<string[]> {
    const refused = (await this.#read()).filter((one) => one.isRefused);
    return refused.map(({ name }) => name);
  }

  async #enabled(): Promise<{ name: string; settings: OidcSettings }[]> {
    return (await this.#read()).filter(({ settings: { enabled } }) => enabled);
  }

  async #read(): Promise<{ name: string; settings: OidcSettings; isRefused: boolean }[]> {
    const { settings } = this.#deps;
    const names = await settings.names(OIDC_SETTINGS);
    return Promise.all(
      names.map(async (name) => {
        const { value, refused, stored } = await settings.getAcceptable(OIDC_SETTINGS, { name });
        return { name, settings: value, isRefused: refused.length > 0 && stored.enabled === true };
      }),
    );
  }

  /** Throws sign_in.realm_unknown and sign_in.directory_unavailable. */
  async open(name: string): Promise<Provider> {
    const { settings, logger } = this.#deps;
    const { value, version } = await settings.getAcceptable(OIDC_SETTINGS, { name });
    if (!value.enabled) throw failSignIn('sign_in.realm_unknown');
    try {
      const discovered = await this.#discover(name, version, value);
      const keyless = afresh(discovered, value);
      const client = afresh(discovered, value);
      // Verifies the signature of ID tokens, which TLS alone would not require.
      enableNonRepudiationChecks(client);
      return { settings: value, client, keyless };
    } catch (error) {
      logger.warn({ provider: name, err: error }, 'oidc.discovery_failed');
      throw failSignIn('sign_in.directory_unavailable', {}, { cause: error });
    }
  }

  async #discover(name: string, version: string, settings: OidcSettings): Promise<Configuration> {
    const now = this.#deps.clock.monotonic();
    const before = this.#discovered.get(name);
    if (before && before.version === version && before.until > now) return before.client;
    const entry = { version, until: now + DISCOVERED_MS, client: discoverClient(settings) };
    this.#discovered.set(name, entry);
    try {
      return await entry.client;
    } catch (error) {
      if (this.#discovered.get(name) === entry) this.#discovered.delete(name);
      throw error;
    }
  }
}

/** True if the administrator requests refresh tokens that outlive the sign-in. */
export function isAskedAgain({ scopes }: OidcSettings): boolean {
  return scopes.includes('offline_access');
}

export function giverOf({ issuer, client_id: clientId }: OidcSettings): Giver {
  return { issuer, clientId };
}

/** Fetches the keys for each sign-in, so that a rotated key works at once and a removed one stops working. */
function afresh(discovered: Configuration, settings: OidcSettings): Configuration {
  const client = new Configuration(discovered.serverMetadata(), settings.client_id, {}, authOf(settings));
  client.timeout = settings.timeout_ms / 1000;
  if (isLoopback(settings.issuer)) allowInsecureRequests(client);
  return client;
}

/** The provider must use the requested issuer (OpenID Connect Discovery 1.0, 4.3). */
async function discoverClient(settings: OidcSettings): Promise<Configuration> {
  const { issuer, client_id: clientId, timeout_ms: timeoutMs } = settings;
  return discovery(new URL(issuer), clientId, {}, authOf(settings), {
    timeout: timeoutMs / 1000,
    execute: isLoopback(issuer) ? [allowInsecureRequests] : [],
  });
}

function authOf({ client_secret: secret, client_auth: how }: OidcSettings) {
  const withSecret = how === 'post' ? ClientSecretPost : ClientSecretBasic;
  return secret ? withSecret(secret) : None();
}

async function tryProvider(settings: OidcSettings): Promise<SettingTrial['steps']> {
  try {
    const client = await discoverClient(settings);
    const { authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys } = client.serverMetadata();
    const missing = Object.entries({ authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys })
      .filter(([, address]) => address === undefined)
      .map(([name]) => name);
    const found = { name: `discovery ${settings.issuer}`, ok: true, message: null };
    if (missing.length === 0) return [found];
    return [found, { name: 'metadata', ok: false, message: `the provider names no ${missing.join(', ')}` }];
  } catch (error) {
    return [{ name: `discovery ${settings.issuer}`, ok: false, message: describe(error) }];
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const code = cause && 'code' in cause ? String(cause.code) : undefined;
  return [error.message, code].filter(Boolean).join(': ').slice(0, 256);
}
