import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findServiceKeys, openServiceHome, readOwner, removeRemains } from './service-home.ts';
import { ServiceUsers } from './service-users.ts';

let base: string;
let dirs: { dataDir: string; runtimeDir: string };
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'flotilla-service-home-'));
  dirs = { dataDir: join(base, 'data'), runtimeDir: join(base, 'run') };
});
afterEach(() => rm(base, { recursive: true, force: true }));

const open = () =>
  openServiceHome({
    dirs,
    logger: createSilentLogger(),
    serviceId: 'edge',
    nodeId: 'node',
    users: new ServiceUsers({ dataDir: dirs.dataDir, logger: createSilentLogger() }),
  });

test('a service that was opened before goes on with what it knew, and with its user', async () => {
  const first = await open();
  await first.state.update({ policyDigest: 'p0' });
  const again = await open();
  expect(again.state.value.policyDigest).toBe('p0');
  expect(again.identity).toEqual(first.identity);
});

test('a service is found by the folder that it has, and says whose it is', async () => {
  const { layout, identity } = await open();
  await mkdir(join(dirs.dataDir, 'services', 'lost+found'));
  expect(await findServiceKeys(dirs.dataDir)).toEqual([layout.key]);
  expect(await readOwner(dirs.dataDir, layout.key)).toEqual({ serviceId: 'edge', nodeId: 'node', uid: identity?.uid });
});

test('a folder with a state that cannot be read is nobody’s and can be removed', async () => {
  const { layout } = await open();
  await writeFile(join(layout.dataDir, 'state.json'), '{"serviceId":');
  expect(await readOwner(dirs.dataDir, layout.key)).toBeUndefined();
  await removeRemains(dirs, layout.key);
  expect(await findServiceKeys(dirs.dataDir)).toEqual([]);
});

test('where no service was ever opened none is found', async () => {
  expect(await findServiceKeys(dirs.dataDir)).toEqual([]);
});
