import { isInternal, parseAddress } from './source/address.ts';

/** Names that only a private network knows: one label, reserved endings, private addresses. Expects what `normalizeHost` returns. */
export function isInternalName(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/^\[|\]$/g, '');
  const address = parseAddress(name);
  if (address !== undefined) return isInternal(address);
  if (name.startsWith('{')) return false;
  return !name.includes('.') || /\.(?:local|internal|localhost|lan|svc|cluster\.local|home\.arpa)$/.test(name);
}
