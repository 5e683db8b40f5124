const UNDERSCORE = 95;
const SCHEMA = Buffer.from('__schema');
const TYPE = Buffer.from('__type');

/**
 * True for fields that reveal the schema (specification section 4.2). `__typename` is not among them: the response
 * shows the type anyway.
 */
export function isIntrospection(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] !== UNDERSCORE) return false;
  const name = end - start === SCHEMA.length ? SCHEMA : TYPE;
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
