import { X509Certificate } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { createSilentLogger, FakeClock, sleep, systemClock } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestAgent, waitFor } from '../testing/test-agent.ts';
import { IdentityFiles } from './identity-files.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

const token = async (ttlMs?: number) => t.createToken(await t.createProject(), ttlMs);

async function reason(agent: TestAgent, text: string): Promise<string> {
  const enrolled = await agent.enrol(text);
  await agent.close();
  return enrolled.ok ? 'enrolled' : enrolled.error;
}

describe('an agent that enrols', () => {
  it('stores its key and certificate readable only by itself', async () => {
    const agent = await TestAgent.create(t);
    const enrolled = await agent.enrol(await token());
    expect(enrolled.ok).toBe(true);
    expect((await stat(join(agent.dir, 'identity.json'))).mode & 0o777).toBe(0o600);
    const identity = await agent.files.read();
    const certificate = new X509Certificate(identity?.certificatePem ?? '');
    expect(certificate.verify(new X509Certificate(identity?.caPem ?? '').publicKey)).toBe(true);
    expect(await agent.files.readPending()).toBeUndefined();
    await agent.close();
  });

  it('reports whether a token has expired, was used or is not a token', async () => {
    expect(await reason(await TestAgent.create(t), await token(-1000))).toContain('expired');
    const used = await token();
    expect(await reason(await TestAgent.create(t), used)).toBe('enrolled');
    expect(await reason(await TestAgent.create(t), used)).toContain('already been used');
    expect(await reason(await TestAgent.create(t), 'something')).toContain('flte_');
  });

  it('sends its token only to the authority that the token names', async () => {
    const other = await createTestStreams();
    try {
      const foreign = await other.createToken(await other.createProject());
      const agent = await TestAgent.create(t);
      const text = await reason(agent, foreign);
      expect(text).toContain('is not the one that created this token');
      // The controller it connected to got no enrolment request.
      expect((await t.deniedAudits()).some(({ code }) => code === 'enrolment.token_unknown')).toBe(false);
    } finally {
      await other.close();
    }
  });

  it('gets the same client after it was killed between the use of the token and the arrival of the certificate', async () => {
    const text = await token();
    const agent = await TestAgent.create(t);
    const failing = new IdentityFiles(agent.dir);
    failing.write = () => Promise.reject(new Error('killed'));
    await expect(agent.enrol(text, { files: failing })).rejects.toThrow('killed');
    expect(await agent.files.read()).toBeUndefined();
    const second = await agent.enrol(text);
    expect(second.ok).toBe(true);
    const used = await t.database.db
      .selectFrom('enrolment_tokens')
      .select('used_by_client')
      .where('used_by_client', '=', await agent.clientId())
      .execute();
    expect(used).toHaveLength(1);
    await agent.close();
  });

  it('waits for a controller that is not running yet, and reports this once', async () => {
    const agent = await TestAgent.create(t);
    const stopped = new AbortController();
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const enrolling = agent.enrol(await token(), { controller: { host: '127.0.0.1', port }, signal: stopped.signal });
    await waitFor('a message', () => agent.printed.length > 0);
    expect(agent.printed[0]).toContain('cannot be reached');
    stopped.abort();
    expect((await enrolling).ok).toBe(false);
    expect(agent.printed).toHaveLength(1);
    await agent.close();
  });

  it('distinguishes a wrong clock from a wrong controller', async () => {
    const agent = await TestAgent.create(t);
    const stopped = new AbortController();
    const past = new FakeClock(systemClock.now() - 40 * 86_400_000);
    const enrolling = agent.enrol(await token(), { clock: past, signal: stopped.signal });
    await waitFor('a message', () => agent.printed.length > 0);
    expect(agent.printed[0]).toContain('Set the clock');
    stopped.abort();
    await enrolling;
    await agent.close();
  });

  it('does not trust a server that answers in plain text or not at all', async () => {
    const servers: Server[] = [];
    for (const answer of ['HTTP/1.1 200 OK\r\n\r\n', undefined]) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        if (answer) socket.end(answer);
        else socket.destroy();
      }).listen(0, '127.0.0.1');
      servers.push(server);
      await new Promise((resolve) => server.once('listening', resolve));
      const agent = await TestAgent.create(t);
      const stopped = new AbortController();
      const { port } = server.address() as { port: number };
      const enrolling = agent.enrol(await token(), { controller: { host: '127.0.0.1', port }, signal: stopped.signal });
      await waitFor('a message', () => agent.printed.length > 0);
      stopped.abort();
      await enrolling;
      await agent.close();
    }
    for (const server of servers) server.close();
  });

  it('refuses a damaged identity instead of enrolling as a new client', async () => {
    const agent = await TestAgent.create(t);
    await writeFile(join(agent.dir, 'identity.json'), '{"keyPem":');
    await expect(agent.files.read()).rejects.toThrow('damaged');
    await agent.close();
  });
});

describe('an agent with a certificate', () => {
  it('renews it with a new key, and continues its streams on a new connection', async () => {
    const agent = await TestAgent.enrolled(t);
    const before = await agent.files.read();
    // At 70 % of the certificate's lifetime, the renewal is due at once.
    const clock = new FakeClock(systemClock.now() + 0.7 * 86_400_000);
    const running = await agent.start({ clock, renewal: { random: () => 0, checkMs: 20 } });
    await waitFor('renewed', async () => (await agent.files.read())?.certificatePem !== before?.certificatePem);
    const after = await agent.files.read();
    expect(after?.keyPem).not.toBe(before?.keyPem);
    expect(after?.clientId).toBe(before?.clientId);
    await waitFor('connected', () => running.isConnected);
    await agent.close();
  });
});

describe('an agent with a wrong clock', () => {
  it('that is ahead by more than a certificate’s lifetime renews once and reports the wrong clock (fault M9)', async () => {
    const agent = await TestAgent.enrolled(t);
    const clock = new FakeClock(systemClock.now() + 2 * 86_400_000);
    const logger = createSilentLogger();
    const errors = vi.spyOn(logger, 'error');
    t.fleet.log.length = 0;
    const before = await agent.files.read();
    const running = await agent.start({ clock, logger, renewal: { random: () => 0, checkMs: 20 } });
    await waitFor('reported', () =>
      t.fleet.log.includes("clock 2 days ahead of the controller's clock: set the time of this host"),
    );
    const renewed = await agent.files.read();
    expect(renewed?.certificatePem).not.toBe(before?.certificatePem);
    await sleep(500);
    expect((await agent.files.read())?.certificatePem).toBe(renewed?.certificatePem);
    expect(errors.mock.calls.map(([, event]) => event)).toEqual(['clock.wrong']);
    await waitFor('connected', () => running.isConnected);
    await agent.close();
  });

  it('no longer reports it with the next certificate, an hour after the clock was corrected (fault M9)', async () => {
    const agent = await TestAgent.enrolled(t);
    const shift = { wall: 2 * 86_400_000, steady: 0 };
    const clock = {
      now: () => systemClock.now() + shift.wall,
      monotonic: () => systemClock.monotonic() + shift.steady,
    };
    t.fleet.log.length = 0;
    const running = await agent.start({ clock, renewal: { random: () => 0, checkMs: 20 } });
    await waitFor('reported', () => t.fleet.log.some((line) => line.startsWith('clock 2 days')));
    const wrong = await agent.files.read();
    shift.wall = 0;
    shift.steady = 3_700_000;
    t.fleet.log.length = 0;
    await waitFor('renewed', async () => (await agent.files.read())?.certificatePem !== wrong?.certificatePem);
    await waitFor('connected again', () => t.fleet.log.some((line) => line.startsWith('opened')));
    expect(t.fleet.log.filter((line) => line.startsWith('clock'))).toEqual([]);
    await waitFor('connected', () => running.isConnected);
    await agent.close();
  });
});
