import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import { CLOUD_IDENTITY, type Restriction } from './reach.ts';

/** A signer without its own credentials queries the environment, files and metadata endpoints of the host. */
export function restrictionOfSigner({ credential_provider }: JsonObject): Restriction | undefined {
  return bringsCredentials(credential_provider) ? undefined : CLOUD_IDENTITY;
}

export function restrictionOfLambda({ credentials }: JsonObject): Restriction | undefined {
  return isJsonObject(credentials) ? undefined : CLOUD_IDENTITY;
}

/** Providers of the host: its container, its environment, its instance. */
const HOST_PROVIDERS = [
  'config_credential_provider',
  'container_credential_provider',
  'environment_credential_provider',
  'instance_profile_credential_provider',
] as const;

/** Whether all credentials are in the document: inline, or in a chain that does not query the host. */
function bringsCredentials(provider: JsonValue | undefined): boolean {
  if (!isJsonObject(provider)) return false;
  if (provider.inline_credential !== undefined) return true;
  if (provider.custom_credential_provider_chain !== true) return false;
  if (HOST_PROVIDERS.some((name) => provider[name] !== undefined)) return false;
  const own = [
    hasSource(provider.credentials_file_provider, 'credentials_data_source'),
    hasSource(provider.assume_role_with_web_identity_provider, 'web_identity_token_data_source'),
    hasSource(provider.iam_roles_anywhere_credential_provider, 'private_key'),
    isJsonObject(provider.assume_role_credential_provider)
      ? bringsCredentials(provider.assume_role_credential_provider.credential_provider)
      : undefined,
  ];
  return own.includes(true) && !own.includes(false);
}

/** Undefined if the provider is not used. */
function hasSource(provider: JsonValue | undefined, field: string): boolean | undefined {
  return isJsonObject(provider) ? provider[field] !== undefined : undefined;
}
