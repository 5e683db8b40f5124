import { createServer } from 'node:net';
import { LDAP_SETTINGS, type LdapSettings } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { createServerCertificate, findFreePorts, type LdapServer, startLdapServer } from '@flotilla/testkit';
import { BerReader } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askServer as ask, type GivenPassword } from './directory.ts';
import type { LdapServer as Server } from './socket.ts';
import { describeDirectory, ENTRIES, PASSWORD } from './testing/directory.ts';

let ldap: LdapServer;

beforeAll(async () => {
  ldap = await startLdapServer(ENTRIES);
});
afterAll(() => ldap?.close());

const settings = (change: Record<string, unknown> = {}): LdapSettings =>
  LDAP_SETTINGS.schema.parse(describeDirectory(ldap, createId(), change));
const given = { username: 'alice', password: PASSWORD };
const askServer = (from: LdapSettings, server: Server, what: { given: GivenPassword }) =>
  ask(from, server, { ...what, signal: AbortSignal.timeout(60_000) });

describe('asking a directory', () => {
  it.each([
    ['StartTLS', () => ({ url: ldap.url, start_tls: true })],
    ['LDAPS', () => ({ url: ldap.tlsUrl, start_tls: false })],
  ])('works over %s and identifies a person by an immutable id', async (_name, server) => {
    const answer = await askServer(settings(), server(), { given });
    expect(answer).toMatchObject({
      kind: 'person',
      person: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
        username: 'alice',
        email: 'alice@example.org',
        groups: expect.arrayContaining([
          `cn=operators,ou=groups,${ldap.baseDn}`,
          `cn=night-shift,ou=groups,${ldap.baseDn}`,
          `cn=loop,ou=groups,${ldap.baseDn}`,
        ]),
      },
    });
  });

  it('returns only direct groups if nothing else is configured', async () => {
    const answer = await askServer(
      settings({ groups: { from: 'search' } }),
      { url: ldap.tlsUrl, start_tls: false },
      { given },
    );
    expect(answer).toMatchObject({ person: { groups: [`cn=operators,ou=groups,${ldap.baseDn}`] } });
  });

  it('reads groups from the entry of the person', async () => {
    const bob = { username: 'bob', password: PASSWORD };
    const answer = await askServer(
      settings({ groups: { from: 'member_of' } }),
      { url: ldap.tlsUrl, start_tls: false },
      { given: bob },
    );
    expect(answer).toMatchObject({ person: { groups: [`cn=operators,ou=groups,${ldap.baseDn}`] } });
  });

  it.each([
    ['StartTLS', () => ({ url: ldap.url, start_tls: true })],
    ['LDAPS', () => ({ url: ldap.tlsUrl, start_tls: false })],
  ])('ends before anything is sent if the certificate of %s is from another authority', async (_name, server) => {
    const { certificatePem } = await createServerCertificate('localhost');
    await expect(askServer(settings({ ca: certificatePem }), server(), { given })).rejects.toMatchObject({
      step: 'tls',
    });
  });

  it('ends if the certificate has another name', async () => {
    const server = { url: ldap.tlsUrl.replace('localhost', '127.0.0.1'), start_tls: false };
    await expect(askServer(settings(), server, { given })).rejects.toMatchObject({ step: 'tls' });
  });

  it.each(['*', 'a*', '*)(uid=*', 'alice)(|(uid=*', 'alice\\', 'alice\0', '\\2a'])(
    'finds nobody by %j',
    async (username) => {
      const answer = await askServer(
        settings(),
        { url: ldap.tlsUrl, start_tls: false },
        { given: { username, password: PASSWORD } },
      );
      expect(answer).toEqual({ kind: 'unknown' });
    },
  );

  it('finds people with names that are not ASCII', async () => {
    const zoe = { username: 'zoë', password: PASSWORD };
    const answer = await askServer(settings(), { url: ldap.tlsUrl, start_tls: false }, { given: zoe });
    expect(answer).toMatchObject({ kind: 'person', person: { username: 'zoë' } });
  });

  it('accepts nobody if two entries have the name', async () => {
    const twin = { username: 'twin', password: PASSWORD };
    const answer = await askServer(settings(), { url: ldap.tlsUrl, start_tls: false }, { given: twin });
    expect(answer).toEqual({ kind: 'ambiguous' });
  });

  it.each(['', '\0', `${PASSWORD}\0`, `\0${PASSWORD}`])(
    'sends no password like %j, which a server may treat as anonymous',
    async (password) => {
      const nowhere = { url: 'ldap://127.0.0.1:1', start_tls: false };
      const answer = await askServer(settings(), nowhere, { given: { username: 'alice', password } });
      expect(answer).toMatchObject({ kind: 'wrong_password' });
    },
  );

  it('sends no secret if a third party answers StartTLS with more than its answer', async () => {
    const heard: Buffer[] = [];
    const between = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        heard.push(chunk);
        // The answer, and the start of another one that later encrypted data would complete.
        const answer = Buffer.from('300c02010178070a010004000400', 'hex');
        socket.write(Buffer.concat([answer, Buffer.from('302002010161', 'hex')]));
      });
    });
    const [port = 0] = await findFreePorts(1);
    await new Promise<void>((resolve) => between.listen(port, '127.0.0.1', resolve));
    const server = { url: `ldap://localhost:${port}`, start_tls: true };
    await expect(askServer(settings(), server, { given })).rejects.toMatchObject({ step: 'tls' });
    between.close();
    expect(heard).toHaveLength(1);
    expect(Buffer.concat(heard).includes('1.3.6.1.4.1.1466.20037')).toBe(true);
  });

  it('waits for a silent server only until the deadline', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    const [port = 0] = await findFreePorts(1);
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    const server = { url: `ldap://localhost:${port}`, start_tls: true };
    await expect(askServer(settings({ timeout_ms: 300 }), server, { given })).rejects.toMatchObject({ step: 'tls' });
    await expect(
      askServer(settings({ timeout_ms: 300 }), { ...server, start_tls: false }, { given }),
    ).rejects.toMatchObject({ step: 'bind' });
    silent.close();
  });

  it('reads no more from a server than one person can need', async () => {
    const message = (id: number, operation: Buffer) => ber(0x30, Buffer.concat([Buffer.from([2, 1, id]), operation]));
    const done = Buffer.from('0a010004000400', 'hex');
    const dn = ber(0x04, Buffer.from(`cn=${'a'.repeat(60_000)}`));
    const endless = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const request = new BerReader(chunk);
        request.readSequence();
        const id = request.readInt() ?? 0;
        if (request.readSequence() === 0x60) return socket.write(message(id, ber(0x61, done)));
        const entry = message(id, ber(0x64, Buffer.concat([dn, ber(0x30, Buffer.alloc(0))])));
        // The stream ends, so that a client that reads everything gets an answer.
        for (let bytes = 0; bytes < 20 * 1024 * 1024; bytes += entry.length) socket.write(entry);
        return socket.write(message(id, ber(0x65, done)));
      });
    });
    const [port = 0] = await findFreePorts(1);
    await new Promise<void>((resolve) => endless.listen(port, '127.0.0.1', resolve));
    const server = { url: `ldap://localhost:${port}`, start_tls: false };
    await expect(askServer(settings({ timeout_ms: 30_000 }), server, { given })).rejects.toMatchObject({
      step: 'search',
    });
    endless.close();
  });
});

function ber(tag: number, content: Buffer): Buffer {
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
