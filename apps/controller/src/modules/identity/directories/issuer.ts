const MICROSOFT = 'https://login.microsoftonline.com';
const MICROSOFT_ISSUERS: readonly string[] = [MICROSOFT, 'https://sts.windows.net'];
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether a provider at this address may use this issuer. Both must be the same URL, however spelled (OpenID Connect
 * Discovery 1.0, 4.3), except where `openid-client` accepts another issuer: if the address is that of the discovery
 * document, for Microsoft Entra, whose issuers contain the tenant id, and for Azure AD B2C. In these cases both must
 * have the same host.
 */
export function isIssuerOf(address: string, issuer: string): boolean {
  if (address === issuer) return true;
  const [at, of] = [URL.parse(address), URL.parse(issuer)];
  if (!at || !of) return false;
  if (at.href === of.href) return true;
  if (at.origin === MICROSOFT) return MICROSOFT_ISSUERS.includes(of.origin) && isTenantOf(at, of);
  const isLoose = at.href.includes('/.well-known/') || at.hostname.endsWith('.b2clogin.com');
  return isLoose && at.origin === of.origin;
}

/** The address may also name the tenant by one of its domains, or any tenant. */
function isTenantOf(at: URL, of: URL): boolean {
  const asked = tenantOf(at);
  return !TENANT_ID.test(asked) || asked === tenantOf(of);
}

function tenantOf({ pathname }: URL): string {
  return pathname.split('/')[1]?.toLowerCase() ?? '';
}
