import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const SHA = 'a'.repeat(64);
const binary = (arch: string) => ({ arch, download_url: `https://archive.example.com/${arch}`, sha256: SHA });
const INDEX = {
  releases: [
    { version: 'v1.40.0', date: '2026-07-14T00:00:00Z', binaries: [binary('linux-amd64'), binary('linux-arm64')] },
    {
      version: 'v1.39.3',
      date: '2026-05-01T00:00:00Z',
      binaries: [{ ...binary('linux-amd64'), sha256: 'b'.repeat(64) }],
    },
    { version: 'latest', binaries: [] },
  ],
  coroza_releases: [{ version: 'v0.6.0', binaries: [binary('wasm-amd64')] }],
};
let t: TestFleet;
let terminal: OwnersTerminal;
let server: Server;
/** Commands of the agent: `DATAPLANE_VERSION {"operation":…}`. */
const sent: string[] = [];

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  server = createServer((_, response) => response.end(JSON.stringify(INDEX)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const archive_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await t.owner.call('PUT', '/api/v3/setting/documents/archive', { archive_url });
  const agent = await t.connect(await t.createClient('edge-1'));
  await t.createClient('edge-2');
  agent.react = ({ type, payloadJson }) => {
    const { archive, ...payload } = JSON.parse(Buffer.from(payloadJson).toString());
    sent.push(`${type} ${JSON.stringify(payload)} ${archive?.sha256?.slice(0, 2) ?? '-'}`);
    if (payload.version === '1.38.0') {
      const error = { errorCode: 'version.in_use', errorMessage: 'Envoy 1.38.0 is in use by service \u001b[2Jshop' };
      return { outcome: fleet.Outcome.REFUSED, ...error };
    }
    const installed = ['1.40.0', '1.39.3', '1.38.0'].map((version) => ({
      version,
      source: 'cache',
      path: `/x/${version}`,
      sha256: SHA,
      bytes: 100 * 1024 ** 2,
      used_by: version === '1.38.0' ? ['service shop'] : [],
    }));
    const result = { installed, operation_summary: { action: 'version_installed' } };
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(result)) };
  };
});
afterAll(async () => {
  server.close();
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

it('the releases of the archive are listed, with what was left out', async () => {
  const { code, out, err } = await run(['versions', 'releases']);
  expect(code).toBe(EXIT.ok);
  expect(out).toMatch(/^1\.40\.0 +2026-07-14 +linux-amd64, linux-arm64$/m);
  expect(err).toContain('Left out: releases[2] has a version that is not like v1.40.0.');
  expect((await run(['versions', 'releases', '--waf'])).out).toMatch(/^0\.6\.0 .*wasm-amd64$/m);
});

it('the versions on hosts are listed with their users, and whether they are those of the archive', async () => {
  const { out, err } = await run(['versions', 'list']);
  expect(out).toMatch(/^edge-1 +1\.40\.0 .*same +a{12} +100$/m);
  expect(out).toMatch(/^edge-1 +1\.39\.3 .*differs/m);
  expect(out).toMatch(/^edge-1 +1\.38\.0 +service shop +unlisted/m);
  expect(err).toContain('edge-2 is not connected.');
});

it('a version is installed and removed on named hosts, or on all of them', async () => {
  sent.length = 0;
  const installed = await run(['versions', 'install', 'v1.40.0', '--client', 'edge-1', '--force']);
  expect([installed.code, installed.out]).toEqual([EXIT.ok, 'edge-1 installed\n']);
  expect((await run(['versions', 'install', '0.6.0', '--waf', '--client', 'edge-1'])).code).toBe(EXIT.ok);
  const everywhere = await run(['versions', 'remove', '1.38.0', '--all']);
  expect(everywhere.code).toBe(EXIT.failed);
  expect(everywhere.err).toContain('edge-1: refused: Envoy 1.38.0 is in use by service');
  expect(everywhere.err).not.toContain('\u001b');
  expect(everywhere.err).toContain('edge-2: pending');
  expect(sent).toEqual([
    'DATAPLANE_VERSION {"version":"1.40.0","operation":"SET_VERSION","force_download":true} aa',
    'WAF_VERSION {"version":"0.6.0","operation":"SET_VERSION","force_download":false} aa',
    'DATAPLANE_VERSION {"version":"1.38.0","operation":"REMOVE_VERSION"} -',
  ]);
  for (const hosts of [[], ['--all', '--client', 'edge-1']])
    expect((await run(['versions', 'install', '1.40.0', ...hosts])).code).toBe(EXIT.usage);
  expect((await run(['versions', 'install', '../x', '--all'])).code).not.toBe(EXIT.ok);
});
