const DEFER = Buffer.from('defer');
const STREAM = Buffer.from('stream');

/** True for the directives that request an incremental response. */
export function isIncremental(bytes: Uint8Array, start: number, end: number): boolean {
  const name = bytes[start] === DEFER[0] ? DEFER : STREAM;
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
