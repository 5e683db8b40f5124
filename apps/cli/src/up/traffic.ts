/**
 * Whether the demo's Envoy answers at this loopback port. A refusal is an answer, too: the policy may have been changed. That of
 * another program, which has taken the port, is none.
 */
export async function hasTraffic(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    ({ status, headers }) => status < 500 && headers.get('server') === 'envoy',
    () => false,
  );
}
