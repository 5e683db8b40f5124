import { ADMIN_PORT_MAX, ADMIN_PORT_MIN } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { startDemoUpstream } from './upstream.ts';

it('the upstream never uses a port reserved for admin endpoints, not even that of the last run', async () => {
  const upstream = await startDemoUpstream(ADMIN_PORT_MIN + 100);
  expect(upstream.port < ADMIN_PORT_MIN || upstream.port > ADMIN_PORT_MAX).toBe(true);
  await upstream.close();
});

it('the upstream uses the port of the last run, or another one if that is in use', async () => {
  const first = await startDemoUpstream();
  const second = await startDemoUpstream(first.port);
  expect(second.port).not.toBe(first.port);
  await first.close();
  const third = await startDemoUpstream(first.port);
  expect(third.port).toBe(first.port);
  await Promise.all([second.close(), third.close()]);
});

it('the upstream leaves it to Envoy to close idle connections, so that no request meets a closing one', async () => {
  const upstream = await startDemoUpstream();
  const { headers } = await fetch(`http://127.0.0.1:${upstream.port}/`);
  expect(headers.get('connection')).toBe('keep-alive');
  expect(headers.get('keep-alive')).toBeNull();
  await upstream.close();
});
