/**
 * Returns whether the demo's Envoy responds at this loopback port. A refusal counts, because the policy may have been changed. A
 * response of another program at the port does not count.
 */
export async function hasTraffic(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    ({ status, headers }) => status < 500 && headers.get('server') === 'envoy',
    () => false,
  );
}
