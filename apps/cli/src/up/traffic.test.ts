import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { hasTraffic } from './traffic.ts';

it.each([
  ['envoy', 200, true],
  ['envoy', 403, true],
  ['envoy', 503, false],
  ['nginx', 200, false],
])('a response of %s with status %i counts as traffic: %j', async (program, status, expected) => {
  const server = createServer((_request, response) => response.writeHead(status, { server: program }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await hasTraffic(port)).toBe(expected);
  server.close();
});

it('a closed port has no traffic', async () => {
  expect(await hasTraffic(1)).toBe(false);
});
