/** FNV-1a over UTF-16 units, mixed: 32 bits for tables. Stored hashes have the salt of their project: one text has another hash in another project. */
export function hashText(text: string, salt = 0): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x45d9f3b);
  return (hash ^ (hash >>> 15)) >>> 0;
}
