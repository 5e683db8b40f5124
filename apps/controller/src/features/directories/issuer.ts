const MICROSOFT = 'https://login.microsoftonline.com';
const MICROSOFT_ISSUERS: readonly string[] = [MICROSOFT, 'https://sts.windows.net'];
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether a provider that is asked at this address names its people by this issuer. The two are one, however spelled (OpenID
 * Connect Discovery 1.0, 4.3), but where `openid-client` takes a provider that says another: at the address of its document
 * itself, at Microsoft Entra, whose issuers name a tenant by its id alone, and at Azure AD B2C. There both are of one host.
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

/** An address may also name a tenant by one of its domains, or any of them. */
function isTenantOf(at: URL, of: URL): boolean {
  const asked = tenantOf(at);
  return !TENANT_ID.test(asked) || asked === tenantOf(of);
}

function tenantOf({ pathname }: URL): string {
  return pathname.split('/')[1]?.toLowerCase() ?? '';
}
