import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { FakeClock, findByEnvironment, readProcess } from '@flotilla/kit';
import { SUPPORT_BUNDLE_LIMITS } from '@flotilla/proto/commands';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BundleStage, SERVICE_KEY } from '../testing/bundle-stage.ts';
import { SmallDisk } from '../testing/small-disk.ts';
import { eventually } from '../testing/test-host.ts';

const MIB = 1024 ** 2;
const folderOf = (stage: BundleStage, id: string) => join(stage.dataDir, 'support-bundles', id);

/** The process may still be about to remove its lock. */
const filesOf = (stage: BundleStage, id: string) =>
  readdirSync(folderOf(stage, id)).filter((name) => !name.startsWith('bundle.lock'));

describe('a support bundle', () => {
  it('is an archive with state, versions, configuration and logs, whose digest is known', async () => {
    const stage = await BundleStage.create();
    stage.plant('root/etc/netplan/10-a.yaml', 'network: {version: 2, ethernets: {eth0: {dhcp4: true}}}\n');
    stage.plant('root/var/log/syslog', 'line of the host\n');
    stage.plant('data/logs/agent.log', '{"msg":"line of the agent"}\n');
    stage.plant('data/logs/agent.log.1', '{"msg":"earlier line of the agent"}\n');
    stage.plant(`data/services/${SERVICE_KEY}/logs/envoy.log`, 'line of Envoy\n');
    stage.plant(`data/services/${SERVICE_KEY}/files/access.log`, 'GET /shop\n');
    const appliance = stage.open({ journalCommand: [stage.program('journal', 'line of the journal\n')] });
    const bundle = await stage.create(appliance);
    expect(bundle).toMatchObject({ state: 'READY', reason: null, finishedAt: expect.any(String) });
    const archive = await stage.download(appliance, bundle.id);
    expect([archive.length, createHash('sha256').update(archive).digest('hex')]).toEqual([bundle.bytes, bundle.sha256]);
    const files = stage.unpack(archive);
    expect(files.get('network/netplan/10-a.yaml')).toContain('dhcp4: true');
    expect(files.get('host/logs/syslog')).toBe('line of the host\n');
    expect(files.get('host/journal.txt')).toBe('line of the journal\n');
    expect(files.get('agent/logs/agent.log')).toContain('line of the agent');
    expect(files.get('agent/logs/agent.log.1')).toContain('earlier line of the agent');
    expect(files.get(`services/${SERVICE_KEY}/logs/envoy.log`)).toBe('line of Envoy\n');
    expect(files.get(`services/${SERVICE_KEY}/access-logs/access.log`)).toBe('GET /shop\n');
    expect(JSON.parse(files.get('network/routes.json') ?? '')).toEqual(expect.any(Array));
    const status = JSON.parse(files.get('status.json') ?? '');
    expect(status.components).toContainEqual({ name: 'flotilla', version: '1.2.3', source: 'the agent' });
    expect(status.info).toMatchObject({ os_id: 'test', os_name: 'Test 1' });
    const manifest = JSON.parse(files.get('manifest.json') ?? '');
    expect(manifest.files).toContainEqual({ name: 'host/logs/syslog', from: expect.any(String), bytes: 17 });
    expect(manifest.files).toContainEqual({
      name: 'routing/frr.conf',
      from: expect.any(String),
      missing: 'the host does not have it',
    });
  });

  it('contains no secret that is planted in any of its sources', async () => {
    const stage = await BundleStage.create();
    const planted = new Set<string>();
    const secret = () => {
      const value = `PLANTED${randomBytes(9).toString('hex')}`;
      planted.add(value);
      return value;
    };
    const pem = () => {
      const lines = Array.from({ length: 3 }, () => secret().padEnd(64, 'A'));
      return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    };
    const [wifi, bgp, syslog, clientKey] = [secret(), secret(), secret(), secret()];
    const agentKey = pem();
    stage.plant('data/identity.json', JSON.stringify({ keyPem: agentKey, tokenDigest: secret() }));
    stage.plant(
      'data/log-forwarding/syslog/state.json',
      JSON.stringify({ config: { tls: { client_key: clientKey } } }),
    );
    stage.plant('data/routing/revisions.json', JSON.stringify([{ document: { neighbors: [{ password: bgp }] } }]));
    stage.plant(
      'root/etc/netplan/50-wifi.yaml',
      `network:\n  # ${secret()}\n  wifis:\n    w:\n      access-points: {home: {password: ${wifi}}}\n      auth: {key-management: eap, password: ${secret()}}\n`,
    );
    stage.plant('root/etc/netplan/60-broken.yaml', `network: [\n password: ${secret()}\n`);
    stage.plant(
      'root/etc/systemd/network/wg.netdev',
      `[WireGuard]\nPrivateKey=${secret()}\nPresharedKey = ${secret()}\n`,
    );
    stage.plant(
      'root/etc/frr/frr.conf',
      `router bgp 1\n neighbor 192.0.2.1 password ${bgp}\nenable password ${secret()}\n`,
    );
    stage.plant('root/etc/rsyslog.conf', `$ActionFileKey ${secret()}\n*.* :ommysql:db,logs,me,${secret()}\n`);
    stage.plant(
      'root/etc/rsyslog.d/50-es.conf',
      `action(type="omelasticsearch" uid="me" pwd="${syslog}")\ntemplate(name="t" type="string" string="[${secret()}@41058] %msg%")\n`,
    );
    const bootstrap = {
      admin: {},
      typed_config: { password: secret(), header: { key: 'x-api-key', value: secret() } },
    };
    stage.plant(`data/services/${SERVICE_KEY}/bootstrap.json`, JSON.stringify(bootstrap));
    const spoken = [wifi, bgp, syslog, clientKey, ...agentKey.split('\n').slice(1, 4)].map(
      (value) => `saw ${value} here`,
    );
    const named = `GET /?access_token=${secret()} Authorization: Bearer ${secret()} cookie: id=${secret()} password=${secret()}`;
    const log = [...spoken, named, pem()].join('\n');
    const logs = ['root/var/log/syslog', 'root/var/log/frr/frr.log', 'data/logs/agent.log', 'data/logs/agent.log.1'];
    logs.push(`data/services/${SERVICE_KEY}/logs/envoy.log`, `data/services/${SERVICE_KEY}/files/access.log`);
    logs.push('data/log-forwarding/syslog/logs/forwarder.log');
    for (const path of logs) stage.plant(path, `${log}\nkept line\n`);
    const appliance = stage.open({
      journalCommand: [stage.program('journal', `${log}\nkept line\n`)],
      vtysh: stage.program('vtysh', `neighbor 192.0.2.1 password ${secret()}\nkept line\n`),
    });
    const bundle = await stage.create(appliance);
    const files = stage.unpack(await stage.download(appliance, bundle.id));
    const all = [...files].map(([name, text]) => `${name}\n${text}`).join('\n');
    expect([...planted].filter((value) => all.includes(value))).toEqual([]);
    expect(all).not.toContain('PLANTED');
    expect([...files.values()].filter((text) => text.includes('kept line')).length).toBeGreaterThan(logs.length);
    expect(files.has('network/netplan/60-broken.yaml')).toBe(false);
    expect(filesOf(stage, bundle.id).toSorted()).toEqual(['bundle.json', 'support-bundle.tar.gz']);
  });

  it('contains only the end of a log of 1 GiB, from its next whole line on', async () => {
    const stage = await BundleStage.create();
    const path = stage.plant('root/var/log/syslog', '');
    truncateSync(path, 1024 * MIB);
    appendFileSync(path, `\n${'a line of the log\n'.repeat(600_000)}the last line\n`);
    const appliance = stage.open();
    const bundle = await stage.create(appliance);
    const files = stage.unpack(await stage.download(appliance, bundle.id, MIB));
    const log = files.get('host/logs/syslog') ?? '';
    expect(log.length).toBeLessThanOrEqual(8 * MIB);
    expect(log.startsWith('a line of the log\n')).toBe(true);
    expect(log.endsWith('the last line\n')).toBe(true);
    const { files: listed } = JSON.parse(files.get('manifest.json') ?? '');
    expect(listed).toContainEqual({ name: 'host/logs/syslog', from: path, bytes: log.length, cut: true });
  });

  it('follows no link in folders that other users own, such as those of services and of FRR', async () => {
    const stage = await BundleStage.create();
    const target = stage.plant('elsewhere.log', 'a file of another user\n');
    const files = join(stage.dataDir, 'services', SERVICE_KEY, 'files');
    mkdirSync(files, { recursive: true });
    symlinkSync(target, join(files, 'access.log'));
    for (const path of ['etc/frr', 'var/log/frr']) mkdirSync(join(stage.root, path), { recursive: true });
    symlinkSync(target, join(stage.root, 'etc/frr/frr.conf'));
    symlinkSync(target, join(stage.root, 'var/log/frr/frr.log'));
    const appliance = stage.open();
    const bundle = await stage.create(appliance);
    const all = [...stage.unpack(await stage.download(appliance, bundle.id)).values()].join('\n');
    expect(all).not.toContain('a file of another user');
  });

  it('is readable for the user of the agent only', async () => {
    const stage = await BundleStage.create();
    const bundle = await stage.create(stage.open());
    const folder = folderOf(stage, bundle.id);
    const modes = [folder, join(folder, 'support-bundle.tar.gz'), join(folder, 'bundle.json')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });
});

describe('the support bundles of a host', () => {
  it('are created one at a time, and a repeated command creates no second one', async () => {
    const stage = await BundleStage.create();
    const appliance = stage.open({ vtysh: stage.program('vtysh', '', { isGated: true }) });
    const ids = [stage.newId(), stage.newId(), stage.newId()];
    const created = await Promise.all(ids.map((id) => appliance.bundles.create(id)));
    expect(created.map((one) => one.ok)).toEqual([true, false, false]);
    expect(created[1]).toMatchObject({
      error: { code: 'bundle.running', message: expect.stringContaining(ids[0] ?? '') },
    });
    expect(await appliance.bundles.create(ids[0] ?? '')).toMatchObject({ ok: true, value: { id: ids[0] } });
    expect(await appliance.bundles.remove(ids[0] ?? '')).toMatchObject({ error: { code: 'bundle.running' } });
    expect(await appliance.bundles.read(ids[0] ?? '', { offset: 0, length: 1 })).toMatchObject({
      error: { code: 'bundle.not_ready' },
    });
    stage.release('vtysh');
    expect(await stage.ended(appliance, ids[0] ?? '')).toMatchObject({ state: 'READY' });
    expect(await appliance.bundles.list()).toHaveLength(1);
    expect(await appliance.bundles.remove(ids[0] ?? '')).toEqual({ ok: true, value: true });
    expect(await appliance.bundles.remove(ids[0] ?? '')).toEqual({ ok: true, value: false });
    expect(existsSync(folderOf(stage, ids[0] ?? ''))).toBe(false);
  });

  it('are read in chunks: the last one is marked, and there is none behind the end', async () => {
    const stage = await BundleStage.create();
    const appliance = stage.open();
    const { id, bytes } = await stage.create(appliance);
    const size = bytes ?? 0;
    const read = (offset: number, length: number) => appliance.bundles.read(id, { offset, length });
    expect(await read(size - 10, 10)).toMatchObject({
      value: { isLast: true, data: expect.objectContaining({ length: 10 }) },
    });
    expect(await read(size - 10, 9)).toMatchObject({ value: { isLast: false } });
    expect(await read(size, 10)).toMatchObject({
      value: { isLast: true, data: expect.objectContaining({ length: 0 }) },
    });
    expect(await read(size + 1, 10)).toMatchObject({ error: { code: 'bundle.offset' } });
    expect(await appliance.bundles.read('0'.repeat(32), { offset: 0, length: 1 })).toMatchObject({
      error: { code: 'bundle.unknown' },
    });
    expect(await appliance.bundles.read('../../identity', { offset: 0, length: 1 })).toMatchObject({
      error: { code: 'bundle.unknown' },
    });
    stage.plant(`data/support-bundles/${id}/support-bundle.tar.gz`, 'another file');
    expect(await read(0, 10)).toMatchObject({ error: { code: 'bundle.damaged' } });
  });

  it('expire: the file is deleted, and the record says so, also after a restart of the agent', async () => {
    const stage = await BundleStage.create();
    const clock = new FakeClock(Date.now());
    const first = stage.open({ clock });
    const { id } = await stage.create(first);
    clock.advance((SUPPORT_BUNDLE_LIMITS.keptHours - 1) * 3_600_000);
    expect(await first.bundles.list()).toMatchObject([{ id, state: 'READY' }]);
    await first.close();
    clock.advance(2 * 3_600_000);
    const second = stage.open({ clock });
    expect(await second.bundles.list()).toMatchObject([{ id, state: 'EXPIRED', reason: 'It was kept for 24 hours.' }]);
    expect(filesOf(stage, id)).toEqual(['bundle.json']);
    expect(await second.bundles.read(id, { offset: 0, length: 1 })).toMatchObject({
      error: { code: 'bundle.expired' },
    });
  });

  it('expire without anybody asking for them', async () => {
    const stage = await BundleStage.create();
    const appliance = stage.open({ keptMs: 1, checkMs: 20 });
    const created = await appliance.bundles.create(stage.newId());
    const id = created.ok ? created.value.id : '';
    await eventually(
      () => JSON.parse(readFileSync(join(folderOf(stage, id), 'bundle.json'), 'utf8')).state === 'EXPIRED',
    );
    expect(existsSync(join(folderOf(stage, id), 'support-bundle.tar.gz'))).toBe(false);
  });

  it('are at most three: a newer one takes the place of the oldest', async () => {
    const stage = await BundleStage.create();
    const appliance = stage.open();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await stage.create(appliance)).id);
    const states = (await appliance.bundles.list()).map(({ id, state }) => [ids.indexOf(id), state]);
    expect(states).toEqual([
      [3, 'READY'],
      [2, 'READY'],
      [1, 'READY'],
      [0, 'EXPIRED'],
    ]);
  });
});

describe('a support bundle whose creation is interrupted', () => {
  it('fails with the reason if its process is killed, and leaves nothing but the record', async () => {
    const stage = await BundleStage.create();
    const appliance = stage.open({ vtysh: stage.program('vtysh', '', { isGated: true }) });
    const id = stage.newId();
    await appliance.bundles.create(id);
    await stage.started('vtysh');
    const { pid } = JSON.parse(readFileSync(join(folderOf(stage, id), 'bundle.lock'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    expect(await stage.ended(appliance, id)).toMatchObject({
      state: 'FAILED',
      reason: expect.stringContaining('SIGKILL'),
    });
    expect(filesOf(stage, id)).toEqual(['bundle.json']);
    expect(await appliance.bundles.read(id, { offset: 0, length: 1 })).toMatchObject({
      error: { code: 'bundle.failed' },
    });
    stage.release('vtysh');
    expect(await stage.create(appliance)).toMatchObject({ state: 'READY' });
  });

  it('continues without its agent, and the next agent finds it READY', async () => {
    const stage = await BundleStage.create();
    const first = stage.open({ vtysh: stage.program('vtysh', '', { isGated: true }) });
    const id = stage.newId();
    await first.bundles.create(id);
    await stage.started('vtysh');
    await first.close();
    const second = stage.open();
    expect(await second.bundles.list()).toMatchObject([{ id, state: 'RUNNING' }]);
    expect(await second.bundles.create(stage.newId())).toMatchObject({ error: { code: 'bundle.running' } });
    stage.release('vtysh');
    expect(await stage.ended(second, id)).toMatchObject({ state: 'READY' });
  });

  it('fails if the agent and its process are gone', async () => {
    const stage = await BundleStage.create();
    const first = stage.open({ vtysh: stage.program('vtysh', '', { isGated: true }) });
    const id = stage.newId();
    await first.bundles.create(id);
    await stage.started('vtysh');
    await first.close();
    const { pid } = JSON.parse(readFileSync(join(folderOf(stage, id), 'bundle.lock'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await eventually(() => readProcess(pid) === undefined);
    stage.release('vtysh');
    expect(await stage.open().bundles.list()).toMatchObject([
      { id, state: 'FAILED', reason: 'The agent was stopped while the bundle was created.' },
    ]);
  });

  it('fails if its program cannot be started', async () => {
    const stage = await BundleStage.create();
    const bundle = await stage.create(stage.open({ flotillaCommand: ['/nowhere/flotilla'] }));
    expect(bundle).toMatchObject({ state: 'FAILED', reason: expect.stringContaining('/nowhere/flotilla') });
  });

  it.runIf(process.getuid?.() === 0)(
    'fails on a full disk without filling it, and succeeds when there is space',
    async () => {
      let disk: SmallDisk | undefined;
      const stage = await BundleStage.create({
        dataDir: (base) => {
          disk = new SmallDisk(join(base, 'data'));
          return disk.path;
        },
      });
      onTestFinished(() => disk?.unmount());
      const noise = randomBytes(6 * MIB)
        .toString('base64')
        .replaceAll(/.{76}/g, '$&\n');
      const journal = stage.program('journal', noise, { isGated: true });
      const appliance = stage.open({ journalCommand: [journal] });
      const id = stage.newId();
      expect(await appliance.bundles.create(id)).toMatchObject({ ok: true });
      await stage.started('journal');
      await disk?.fill();
      stage.release('journal');
      expect(await stage.ended(appliance, id)).toMatchObject({
        state: 'FAILED',
        reason: expect.stringContaining('disk of the host is full'),
      });
      expect(existsSync(join(folderOf(stage, id), 'support-bundle.tar.gz.part'))).toBe(false);
      await disk?.fill();
      expect(await appliance.bundles.create(stage.newId())).toMatchObject({
        error: { code: 'bundle.disk_full', message: expect.stringContaining('Free some space') },
      });
      await disk?.free();
      expect(await stage.create(appliance)).toMatchObject({ state: 'READY' });
    },
  );
});

it('the process of a support bundle does not get the environment of the agent, which may contain its token', async () => {
  const stage = await BundleStage.create();
  process.env.SVC_AGENT_ENROL_TOKEN = 'flte_planted';
  onTestFinished(() => {
    delete process.env.SVC_AGENT_ENROL_TOKEN;
  });
  const appliance = stage.open({ vtysh: stage.program('vtysh', '', { isGated: true }) });
  const id = stage.newId();
  await appliance.bundles.create(id);
  await stage.started('vtysh');
  expect(findByEnvironment('SVC_AGENT_ENROL_TOKEN', 'flte_planted')).toEqual([]);
  stage.release('vtysh');
  await stage.ended(appliance, id);
});
