import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createSilentLogger, sleep } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';
import { AdminForwarder } from './admin-forwarder.ts';
import { ConnectionOwners } from './tcp-owner.ts';

let squatter: Server;
let adminPort: number;
let fixture: TestHost;
beforeEach(async () => {
  adminPort = await findFreePort();
  squatter = createServer((socket) => socket.end('not your Envoy'));
  squatter.listen(adminPort, '127.0.0.1');
  await once(squatter, 'listening');
  fixture = await createTestHost();
});
afterEach(async () => {
  squatter.close();
  await fixture.destroy();
});

it('a busy admin port is reported with the service, which runs all the same, until it is free (fault M7)', async () => {
  await ensureTestEnvoy();
  const host = fixture.open();
  host.setDesired(desiredOf({ port: await findFreePort(), adminPort }));
  const report = await host.settled('svc', 1n);
  expect(report).toMatchObject({ phase: fleet.NodePhase.RUNNING, error: '' });
  const user = process.getuid?.();
  await eventually(() => host.reports()[0]?.adminError || undefined);
  expect(host.reports()[0]?.adminError).toBe(
    `the admin port ${adminPort} is in use by a program of user ${user} on this host, which answers there instead of this service's Envoy. Stop that program`,
  );
  squatter.close();
  await eventually(() => host.reports()[0]?.adminError === '' || undefined);
  expect(await fetch(`http://127.0.0.1:${adminPort}/ready`).then((answer) => answer.text())).toBe('LIVE\n');
});

it('a busy admin port is logged once, without a stack, however often it is tried (fault M7)', async () => {
  const logger = createSilentLogger();
  const warnings = vi.spyOn(logger, 'warn');
  const problems: string[] = [];
  const forwarder = new AdminForwarder({
    logger,
    target: () => undefined,
    isServiceUid: () => false,
    owners: new ConnectionOwners(),
    onProblem: () => problems.push(forwarder.problem),
    retryMs: 5,
  });
  forwarder.listen(adminPort);
  await eventually(() => problems.length > 0 || undefined);
  // Several attempts later.
  await sleep(200);
  expect(problems).toHaveLength(1);
  expect(warnings.mock.calls).toEqual([
    [{ event: 'admin.port_busy', port: adminPort, problem: problems[0] }, problems[0]],
  ]);
  squatter.close();
  await eventually(() => problems.length === 2 || undefined);
  expect(problems[1]).toBe('');
  await forwarder.close();
});
