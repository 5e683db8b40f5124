/** Whether the address is on this machine, so that no network sees what is sent there. */
export function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Explains why nothing may be downloaded from an address. Undefined: it may be used. `from` is the address that names it: one
 * elsewhere must not name an address on this machine.
 */
export function findDownloadAddressProblem(address: string, from?: string): string | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'is not an address with https';
  if (from !== undefined && isLoopback(address) && !isLoopback(from)) return 'is on loopback';
  if (url.protocol === 'http:' && !isLoopback(address)) return 'must use https';
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password';
  return undefined;
}
