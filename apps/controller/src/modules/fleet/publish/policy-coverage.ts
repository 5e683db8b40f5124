/** Hosts whose requests the policy would allow unseen, because none of its domains covers them. */
export function listUncovered(hosts: readonly string[], domains: readonly string[]): string[] {
  return hosts.filter((host) => !domains.some((domain) => coversHost(domain, host)));
}

/** `*.example.com` covers `a.example.com` and `*.a.example.com`, but not `example.com`. */
function coversHost(domain: string, host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (domain === '*' || domain === name) return true;
  return domain.startsWith('*.') && name.length >= domain.length && name.endsWith(domain.slice(1)) && name !== '*';
}
