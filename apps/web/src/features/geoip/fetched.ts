/** A SHA-256 as people copy it, with the name of the file or in capitals; undefined where it is none. */
export function readDigest(typed: string): string | undefined {
  const [digest = ''] = typed.trim().toLowerCase().split(/\s/, 1);
  return /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}

/** Whether a controller may be sent there: to a site, and with nobody's password. */
export function isSource(typed: string): boolean {
  const url = URL.parse(typed);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
