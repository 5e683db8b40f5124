import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openMembersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const MIB = 1024 ** 2;
const ID = 'ab'.repeat(16);
const CONTENT = randomBytes(2.5 * MIB);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
let t: TestFleet;
let terminal: OwnersTerminal;
let viewer: TestTerminal;
/** The offsets of the chunks that the host was asked for. */
let asked: number[] = [];
let state = 'READY';
let digest = SHA256;

const bundle = () => ({
  artifact_id: ID,
  kind: 'SUPPORT_BUNDLE',
  state,
  created_at: '2026-01-02T03:04:05.000Z',
  expires_at: state === 'READY' ? '2026-01-03T03:04:05.000Z' : null,
  size_bytes: state === 'READY' ? CONTENT.length : null,
  sha256: state === 'READY' ? digest : null,
  reason: state === 'FAILED' ? 'The disk of the host is full.' : null,
  progress: state === 'RUNNING' ? { step: 'host/journal.txt\u001b[2J', done: 3, total: 60 } : null,
});
const STATUS = {
  boot_slots: { from: 'rauc', slots: [{ slot: 'a', name: 'rootfs.0', version: '1.0', booted: true, next: false }] },
  upgrade: { reboot_required: true, reasons: ['The kernel 6.2 is installed, and 6.1 runs.'] },
  health: [
    { area: 'disk', severity: 'CRIT', message: 'The disk of / is 99 % full\u001b[2J' },
    { area: 'memory', severity: 'OK', message: 'fine' },
  ],
  firewall: null,
  compliance: [{ check: 'secure_boot', ok: false, value: 'off', source: '/sys' }],
  network: { change_unconfirmed: true, revert_in_seconds: 7 },
  components: [{ name: 'flotilla', version: '1.2.3', source: 'the agent' }],
  info: { os_id: 'debian' },
  unavailable: [{ block: 'firewall', reason: 'nft is not installed' }],
};

function answer(subType: string, payload: { offset?: number; length?: number }): unknown {
  switch (subType) {
    case 'SUB_STATUS':
      return { supported: true, status: { ...STATUS, artifacts: [bundle()] } };
    case 'SUB_BUNDLE_READ': {
      const { offset = 0, length = MIB } = payload;
      asked.push(offset);
      const data = CONTENT.subarray(offset, offset + length);
      return { artifact: bundle(), data: data.toString('base64'), offset, eof: offset + data.length >= CONTENT.length };
    }
    case 'SUB_BUNDLE_DELETE':
      return { artifact_id: ID, deleted: true };
    case 'SUB_BUNDLE_CREATE':
      return { artifact: { ...bundle(), state: 'RUNNING' } };
    default: {
      const result = { artifacts: [bundle()] };
      if (state === 'RUNNING') state = 'READY';
      return result;
    }
  }
}

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const agent = await t.connect(await t.createClient('edge-1'));
  agent.react = ({ subType, payloadJson }) => {
    const payload = JSON.parse(Buffer.from(payloadJson).toString() || '{}');
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(answer(subType, payload))) };
  };
  viewer = await openMembersTerminal(t, terminal.url, 'viewer');
});
afterAll(async () => {
  await viewer?.close();
  await terminal?.close();
  await t?.close();
});
beforeEach(() => {
  asked = [];
  state = 'READY';
  digest = SHA256;
});

const fileOf = (name: string) => join(terminal.folder, name);

describe('flotilla appliance', () => {
  it('shows a viewer the status of hosts, with what is wrong first, and no control characters', async () => {
    const { code, out } = await viewer.run(['appliance', 'status', '--client', 'edge-1']);
    expect(code).toBe(EXIT.ok);
    expect(out).toMatch(/^edge-1\n {2}health: CRIT\n {4}CRIT disk: The disk of \/ is 99 % full/);
    expect(out).toContain('restart needed: The kernel 6.2 is installed');
    expect(out).toContain('slot a: rootfs.0 1.0, running');
    expect(out).toContain('it is taken back in 7 s');
    expect(out).toContain('not hardened: secure_boot is off (/sys)');
    expect(out).toContain('firewall is not known: nft is not installed');
    expect(out).not.toContain('\u001b');
  });

  it('creates a bundle and waits for its end, and no viewer may', async () => {
    state = 'RUNNING';
    const created = await terminal.run(['appliance', 'bundle', 'create', 'edge-1']);
    expect(created).toMatchObject({
      code: EXIT.ok,
      out: `The support bundle ${ID} is ready: ${CONTENT.length} bytes.\n`,
    });
    expect(created.err).toContain('3 of 60: host/journal.txt');
    expect(created.err).not.toContain('\u001b');
    expect((await viewer.run(['appliance', 'bundle', 'create', 'edge-1'])).code).toBe(EXIT.forbidden);
    state = 'FAILED';
    const failed = await terminal.run(['appliance', 'bundle', 'create', 'edge-1']);
    expect(failed).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('The disk of the host is full.') });
  });

  it('lists and deletes bundles', async () => {
    const listed = await viewer.run(['appliance', 'bundle', 'list', 'edge-1']);
    expect(listed).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(new RegExp(`${ID} +READY +2026-01-02`)) });
    const argv = ['appliance', 'bundle', 'delete', 'edge-1', ID];
    expect((await viewer.run(argv)).code).toBe(EXIT.forbidden);
    expect(await terminal.run(argv)).toMatchObject({ code: EXIT.ok, out: `The support bundle ${ID} was deleted.\n` });
  });

  it('downloads the newest bundle into a new file that only its owner may read', async () => {
    const file = fileOf('new.tar.gz');
    expect(await terminal.run(['appliance', 'bundle', 'download', 'edge-1', file])).toMatchObject({ code: EXIT.ok });
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(terminal.folder).filter((name) => name.includes('.part'))).toEqual([]);
    const again = await terminal.run(['appliance', 'bundle', 'download', 'edge-1', file]);
    expect(again).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('already exists') });
    const denied = await viewer.run(['appliance', 'bundle', 'download', 'edge-1', fileOf('viewer.tar.gz')]);
    expect(denied.code).toBe(EXIT.forbidden);
  });

  it('continues an interrupted download', async () => {
    const file = fileOf('rest.tar.gz');
    writeFileSync(`${file}.${ID.slice(0, 12)}.part`, CONTENT.subarray(0, 2 * MIB));
    const answered = await terminal.run(['appliance', 'bundle', 'download', 'edge-1', file, ID]);
    expect(answered).toMatchObject({ code: EXIT.ok, err: expect.stringContaining(`continues at byte ${2 * MIB}`) });
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect(asked).toEqual([2 * MIB - 1]);
  });

  it('keeps no file whose digest is wrong', async () => {
    digest = 'f'.repeat(64);
    const file = fileOf('wrong.tar.gz');
    const answered = await terminal.run(['appliance', 'bundle', 'download', 'edge-1', file, ID]);
    expect(answered).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('another digest') });
    expect(readdirSync(terminal.folder).filter((name) => name.startsWith('wrong'))).toEqual([]);
  });

  it('says what to do if no bundle is ready', async () => {
    state = 'EXPIRED';
    const answered = await terminal.run(['appliance', 'bundle', 'download', 'edge-1', fileOf('none.tar.gz')]);
    expect(answered).toMatchObject({
      code: EXIT.failed,
      err: expect.stringContaining('flotilla appliance bundle create edge-1'),
    });
  });
});
