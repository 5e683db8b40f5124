import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const UPSTREAM = 'http://127.0.0.1:9000';

describe('flotilla publish', () => {
  it('says what is missing before it asks the controller', async () => {
    expect((await run(['publish', UPSTREAM])).code).toBe(EXIT.usage);
    const none = await run(['publish', UPSTREAM, '--host', 'a.example.com']);
    expect(none).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('The project has no client') });
    const mixed = await run(['publish', UPSTREAM, 'https://b.example.com', '--host', 'a.example.com']);
    expect(mixed.code).toBe(EXIT.usage);
    const path = await run(['publish', `${UPSTREAM}/api`, '--host', 'a.example.com']);
    expect(path).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('has no path') });
  });

  it('shows the plan in a dry run, writes it, and ends with 7 while the client is offline', async () => {
    await t.createClient('edge-1');
    const argv = ['publish', UPSTREAM, '--host', 'Shop.example.com', '--port', '22001', '--wait', '0'];
    const dry = await run([...argv, '--dry-run']);
    expect(dry.code, dry.err).toBe(EXIT.ok);
    expect(dry.out).toContain('created    clusters/shop-example-com');
    expect(dry.out).toContain('deploy     on edge-1 (offline)');
    expect(dry.out).toContain('http://shop.example.com:22001/');
    expect((await run(['services'])).out).not.toContain('shop-example-com');
    const done = await run(argv);
    expect(done.code, done.err).toBe(EXIT.unfinished);
    expect((await run(['services'])).out).toContain('shop-example-com');
    const again = JSON.parse((await run([...argv, '--json'])).out);
    expect(again).toMatchObject({ outcome: 'unchanged', service: { name: 'shop-example-com' } });
  });

  it('ends with 5 and names the user of a port', async () => {
    const answer = await run(['publish', UPSTREAM, '--host', 'other.example.com', '--port', '22001']);
    expect(answer.code).toBe(EXIT.conflict);
    expect(answer.err).toContain('listener http-22001 of service shop-example-com');
  });

  it('adds a host to an existing listener', async () => {
    const argv = ['publish', UPSTREAM, '--host', 'other.example.com', '--listener', 'http-22001', '--wait', '0'];
    const answer = await run(argv);
    expect(answer.code, answer.err).toBe(EXIT.unfinished);
    expect(answer.out).toContain('created    virtual_hosts/http-22001/other.example.com');
    expect(answer.out).toContain('unchanged  services/shop-example-com');
  });
});

describe('flotilla unpublish', () => {
  it('shows the plan in a dry run, and removes what publishing created', async () => {
    const argv = ['publish', UPSTREAM, '--host', 'gone.example.com', '--port', '22002', '--client', 'edge-1'];
    expect((await run([...argv, '--wait', '0'])).code).toBe(EXIT.unfinished);
    const dry = await run(['unpublish', 'gone.example.com', '--dry-run']);
    expect(dry.code, dry.err).toBe(EXIT.ok);
    for (const line of [
      'deleted    listeners/http-22002',
      'deleted    services/gone-example-com',
      'undeploy   gone-example-com on edge-1 (offline)',
    ])
      expect(dry.out).toContain(line);
    expect((await run(['services'])).out).toContain('gone-example-com');
    const removed = await run(['unpublish', 'gone.example.com', '--wait', '0']);
    expect(removed.code, removed.err).toBe(EXIT.unfinished);
    expect(removed.err).toContain('edge-1: pending');
    expect((await run(['services'])).out).not.toContain('gone-example-com');
    const again = await run(['unpublish', 'gone.example.com']);
    expect(again).toMatchObject({ code: EXIT.notFound, err: expect.stringContaining('Nothing is published at gone') });
  });
});
