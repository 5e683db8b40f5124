/* Without schemas, because screens use them, too. */

/** Methods whose bodies frameworks search for another method: most only POST, CakePHP and Hono all of these. */
const METHODS_WITH_FIELDS: ReadonlySet<unknown> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether a field of the body may override one of these methods. */
export function mayBeOverridden(methods: unknown): boolean {
  return Array.isArray(methods) && methods.some((each) => METHODS_WITH_FIELDS.has(each));
}
