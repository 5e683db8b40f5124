import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createSilentLogger, err, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { createIdleNetwork } from '../testing/idle-network.ts';
import { CommandExecutor } from './executor.ts';
import { CommandJournal } from './journal.ts';

let dir: string;
let host: FakeHost;
let journal: CommandJournal;
let executor: CommandExecutor;
let results: fleet.CommandResult[];
let accepted: string[];

async function open(): Promise<void> {
  journal = await CommandJournal.open(join(dir, 'commands.log'));
  results = [];
  accepted = [];
  executor = new CommandExecutor({
    host,
    network: createIdleNetwork(dir),
    journal,
    clock: systemClock,
    logger: createSilentLogger(),
    desiredGeneration: () => 3n,
    onAccepted: (id) => accepted.push(id),
    onProgress: () => undefined,
    onResult: (result) => results.push(result),
  });
}

/** Simulates a kill: running commands are neither ended nor recorded. */
async function crash(): Promise<void> {
  await executor.close();
  await journal.close();
  await open();
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'executor-'));
  host = new FakeHost();
  await open();
});
afterEach(async () => {
  await executor.close();
  await journal.close();
  await rm(dir, { recursive: true, force: true });
});

const command = (commandId: string, fields: MessageInitShape<typeof fleet.CommandSchema>, payload: unknown = {}) =>
  create(fleet.CommandSchema, {
    commandId,
    serviceId: 's',
    fence: 1n,
    ...fields,
    payloadJson: Buffer.from(JSON.stringify(payload)),
  });
const restart = (id: string, fence = 1n) => command(id, { type: 'SERVICE', subType: 'SUB_RESTART', fence });

const readResult = (result: fleet.CommandResult | undefined) =>
  JSON.parse(Buffer.from(result?.resultJson ?? []).toString());

async function until(count: number): Promise<fleet.CommandResult[]> {
  await vi.waitFor(() => expect(results.length).toBeGreaterThanOrEqual(count));
  return results;
}

describe('the executor', () => {
  it('runs a command once, even if it arrives several times', async () => {
    await Promise.all([executor.offer(restart('a')), executor.offer(restart('a'))]);
    await until(1);
    await executor.offer(restart('a'));
    expect(host.done).toEqual(['restart s']);
    expect((await until(2)).map(({ outcome }) => outcome)).toEqual([fleet.Outcome.DONE, fleet.Outcome.DONE]);
  });

  it('reports a desired change when the host has reached its generation, with the error if there is one', async () => {
    await executor.offer(command('a', { type: 'DEPLOY' }, { generation: 5 }));
    await executor.offer(command('b', { type: 'UPDATE_BOOTSTRAP', fence: 2n }));
    host.settle('s', 3n, { error: 'port 80 is taken' });
    const [first] = await until(1);
    expect(first).toMatchObject({ commandId: 'b', outcome: fleet.Outcome.FAILED, errorMessage: 'port 80 is taken' });
    host.settle('s', 5n);
    expect((await until(2))[1]).toMatchObject({ commandId: 'a', outcome: fleet.Outcome.DONE });
  });

  it('treats the removal of a service as success for UNDEPLOY and as failure for DEPLOY', async () => {
    await executor.offer(command('a', { type: 'UNDEPLOY' }));
    await executor.offer(command('b', { type: 'DEPLOY', fence: 2n }));
    host.settle('s', 3n, { removed: true });
    const outcomes = new Map((await until(2)).map(({ commandId, outcome }) => [commandId, outcome]));
    expect(outcomes.get('a')).toBe(fleet.Outcome.DONE);
    expect(outcomes.get('b')).toBe(fleet.Outcome.FAILED);
  });

  it('refuses an older command that arrives after a newer one of the same service, unless it only reads', async () => {
    await executor.offer(restart('new', 9n));
    await until(1);
    await executor.offer(restart('old', 8n));
    await executor.offer(command('look', { type: 'SERVICE', subType: 'SUB_STATUS', fence: 7n }));
    const byId = new Map((await until(3)).map((result) => [result.commandId, result]));
    expect(byId.get('old')).toMatchObject({ outcome: fleet.Outcome.REFUSED, errorCode: 'command.superseded' });
    expect(byId.get('look')?.outcome).toBe(fleet.Outcome.DONE);
    expect(host.done).toEqual(['restart s', 'status s']);
    await crash();
    await executor.offer(restart('older', 8n));
    expect((await until(1))[0]?.errorCode).toBe('command.superseded');
  });

  it('reports the outcome of an action as unknown after a crash, and does not repeat the action', async () => {
    host.during = () => new Promise(() => undefined);
    await executor.offer(restart('a'));
    await vi.waitFor(() => expect(host.done).toEqual(['restart s']));
    // Not awaited: the action never ends.
    void executor.close();
    await journal.close();
    await open();
    executor.resume();
    expect((await until(1))[0]).toMatchObject({ outcome: fleet.Outcome.UNKNOWN, errorCode: 'agent.interrupted' });
    await executor.offer(restart('a'));
    expect(host.done).toEqual(['restart s']);
  });

  it('continues to wait for the desired state after a crash', async () => {
    await executor.offer(command('a', { type: 'DEPLOY' }, { generation: '4' }));
    await vi.waitFor(() => expect(accepted).toEqual(['a']));
    await crash();
    executor.resume();
    host.settle('s', 4n);
    expect((await until(1))[0]).toMatchObject({ commandId: 'a', outcome: fleet.Outcome.DONE });
  });

  it('fails a command that is not done before its deadline', async () => {
    await executor.offer(command('a', { type: 'DEPLOY', deadlineMs: 30 }));
    expect((await until(1))[0]).toMatchObject({ outcome: fleet.Outcome.FAILED, errorCode: 'command.deadline' });
  });

  it('refuses unknown commands and invalid bodies', async () => {
    await executor.offer(command('a', { type: 'NOWHERE' }));
    await executor.offer(command('b', { type: 'DATAPLANE_VERSION' }, { operation: 'DROP' }));
    const broken = command('c', { type: 'DEPLOY' });
    broken.payloadJson = Buffer.from('[');
    await executor.offer(broken);
    expect((await until(3)).map(({ outcome }) => outcome)).toEqual([3, 3, 3]);
    expect(host.done).toEqual([]);
  });

  it('uses the digest of the command only, and reports why a version is not installed', async () => {
    host.installing = err({ code: 'digest', message: 'has another digest' });
    const archive = { url: 'https://archive.example.com/envoy', sha256: 'a'.repeat(64) };
    const payload = { operation: 'SET_VERSION', version: '1.38.0', force_download: true, archive };
    await executor.offer(command('a', { type: 'DATAPLANE_VERSION', serviceId: '' }, payload));
    const missing = { missing: 'the release archive does not list it' };
    const module = { operation: 'SET_VERSION', version: '0.6.0', archive: missing };
    await executor.offer(command('b', { type: 'WAF_VERSION', serviceId: '' }, module));
    const byId = new Map((await until(2)).map((result) => [result.commandId, result]));
    expect(host.done.toSorted()).toEqual([
      'install envoy 1.38.0 from https://archive.example.com/envoy again',
      'install waf 0.6.0 from nowhere',
    ]);
    expect(byId.get('a')).toMatchObject({ outcome: fleet.Outcome.FAILED, errorCode: 'version.digest' });
    expect(readResult(byId.get('a'))).toMatchObject({
      status: 'DOWNLOAD_FAILED',
      error_type: 'download_error',
      requested_version: '1.38.0',
      force_download: true,
      retry_recommended: false,
      disk_issue: false,
      downloaded_versions: ['1.39.3'],
      operation_summary: { action: 'nothing_changed' },
    });
  });

  it('removes a version, and refuses one in use', async () => {
    const payload = { operation: 'REMOVE_VERSION', version: '1.38.0' };
    await executor.offer(command('a', { type: 'DATAPLANE_VERSION', serviceId: '' }, payload));
    await until(1);
    host.removing = err({ code: 'in_use', message: 'is in use by service shop' });
    await executor.offer(command('b', { type: 'WAF_VERSION', serviceId: '' }, payload));
    const [done, refused] = await until(2);
    expect(host.done).toEqual(['remove envoy 1.38.0', 'remove waf 1.38.0']);
    expect(readResult(done)).toMatchObject({ operation_summary: { action: 'version_removed' } });
    expect(refused).toMatchObject({ outcome: fleet.Outcome.REFUSED, errorCode: 'version.in_use' });
  });

  it('installs a version for SET_VERSION without a service, and only reads for GET_VERSIONS', async () => {
    await executor.offer(
      command('a', { type: 'DATAPLANE_VERSION', serviceId: '' }, { operation: 'SET_VERSION', version: '1.39.3' }),
    );
    await executor.offer(command('b', { type: 'DATAPLANE_VERSION', serviceId: '' }, { operation: 'GET_VERSIONS' }));
    const all = await until(2);
    expect(host.done).toEqual(['install envoy 1.39.3 from elsewhere']);
    expect(readResult(all[1])).toMatchObject({ operation: 'GET_VERSIONS', installed: [{ version: '1.39.3' }] });
  });
});
