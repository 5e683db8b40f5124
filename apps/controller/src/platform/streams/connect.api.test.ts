import { EventEmitter } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { sleep } from '@flotilla/kit';
import { fleet, formatNodeId } from '@flotilla/proto';
import { createResource, createSnapshot, RESOURCE_TYPE, SnapshotCache } from '@flotilla/xds';
import { AdsClient, type AdsClientState, planSnapshot } from '@flotilla/xds-grpc';
import { type Client, type ClientDuplexStream, type StatusObject, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAuthority, revokeClient } from '../../modules/fleet/enrolment/index.ts';
import { createAuthority, importAuthority, issueClientCertificate } from '../../modules/fleet/enrolment/x509.ts';
import { PeerTable } from './peers.ts';
import { CommandClient, codeOf, createTestStreams, TestPeer, type TestStreams } from './testing/streams.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams({ limits: { strangerMs: 4000, handshakeMs: 4000 } });
});
afterAll(() => t?.close());
beforeEach(() => {
  t.fleet.log.length = 0;
  t.fleet.commands.clear();
});

type Stream = ClientDuplexStream<fleet.AgentMessage, fleet.ControllerMessage>;

/** The agent's side of a command stream. */
class Dialled {
  readonly messages: fleet.ControllerMessage[] = [];
  readonly ended: Promise<StatusObject>;
  readonly stream: Stream;
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
    this.stream = (Reflect.get(client, 'connect') as () => Stream).call(client);
    this.stream.on('data', (message: fleet.ControllerMessage) => this.messages.push(message));
    this.stream.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.stream.on('status', resolve));
  }

  static async to(peer: TestPeer): Promise<Dialled> {
    return new Dialled(await peer.connect(t, CommandClient));
  }

  send(body: MessageInitShape<typeof fleet.AgentMessageSchema>['body']): void {
    this.stream.write(create(fleet.AgentMessageSchema, { body } as MessageInitShape<typeof fleet.AgentMessageSchema>));
  }

  hello(): this {
    this.send({ case: 'hello', value: { facts: { name: 'edge' } } });
    return this;
  }

  async until(kind: fleet.ControllerMessage['body']['case'], count = 1): Promise<void> {
    await waitFor(() => this.messages.filter(({ body }) => body.case === kind).length >= count);
  }

  close(): void {
    this.stream.cancel();
    this.#client.close();
  }
}

async function waitFor(isTrue: () => boolean | Promise<boolean>, ms = 90_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await sleep(5);
  }
}

async function refusedConnect(peer: TestPeer): Promise<string> {
  const dialled = (await Dialled.to(peer)).hello();
  const ended = await dialled.ended;
  dialled.close();
  expect(dialled.messages).toEqual([]);
  return codeOf(ended);
}

describe('the command stream', () => {
  it('sends Welcome, the desired state, then the unfinished commands', async () => {
    const peer = await TestPeer.enrolled(t);
    t.fleet.commands.set('c1', create(fleet.CommandSchema, { commandId: 'c1', type: 'CLIENT_STATS' }));
    const dialled = (await Dialled.to(peer)).hello();
    await dialled.until('command');
    expect(dialled.messages.map(({ body }) => body.case)).toEqual(['welcome', 'desiredState', 'command']);
    dialled.send({ case: 'result', value: { commandId: 'c1', outcome: fleet.Outcome.DONE } });
    await dialled.until('resultStored');
    expect(t.fleet.results.get('c1')).toHaveLength(1);
    dialled.close();
    await waitFor(() =>
      t.fleet.log.some((line) => /closed .* (connection lost|agent left)/.test(line) && line.includes(peer.clientId)),
    );
  });

  it('sends each change of the desired state once and only if it is newer', async () => {
    const peer = await TestPeer.enrolled(t);
    const dialled = (await Dialled.to(peer)).hello();
    await dialled.until('desiredState');
    t.streams.commands.noteDesired(peer.clientId);
    t.fleet.revision += 1n;
    for (let i = 0; i < 50; i += 1) t.streams.commands.noteDesired(peer.clientId);
    await dialled.until('desiredState', 2);
    await sleep(50);
    const revisions = dialled.messages.flatMap(({ body }) =>
      body.case === 'desiredState' ? [body.value.revision] : [],
    );
    expect(revisions).toEqual([t.fleet.revision - 1n, t.fleet.revision]);
    dialled.close();
  });

  it('is displaced by a newer stream of the same client', async () => {
    const peer = await TestPeer.enrolled(t);
    const older = (await Dialled.to(peer)).hello();
    await older.until('welcome');
    const newer = (await Dialled.to(peer)).hello();
    await newer.until('welcome');
    expect((await older.ended).code).toBe(status.ABORTED);
    expect(t.fleet.log.filter((line) => line.includes(peer.clientId))).toEqual([
      `opened ${peer.clientId} edge`,
      `closed ${peer.clientId} displaced`,
      `opened ${peer.clientId} edge`,
    ]);
    expect(t.streams.commands.isConnected(peer.clientId)).toBe(true);
    older.close();
    newer.close();
  });

  it('ends if it starts with something else than Hello', async () => {
    const peer = await TestPeer.enrolled(t);
    const dialled = await Dialled.to(peer);
    dialled.send({ case: 'accepted', value: { commandId: 'x' } });
    expect((await dialled.ended).code).toBe(status.INVALID_ARGUMENT);
    dialled.close();
  });
});

describe('the admission of agents', () => {
  it('refuses an agent without a certificate', async () => {
    expect(await refusedConnect(await TestPeer.create())).toBe('certificate.missing');
  });

  it('refuses a certificate of another authority, even with the same names', async () => {
    const peer = await TestPeer.enrolled(t);
    const made = await createAuthority(new Date(t.clock.now()));
    const keys = await importAuthority(made.certificateDer, made.keyDer);
    const project = (await peerProject(peer)) ?? '';
    const subject = { clientId: peer.clientId, projectId: project, publicKey: await peer.publicKey() };
    const validity = { now: new Date(t.clock.now()), lifetimeMs: 60_000 };
    peer.certificateDer = (await issueClientCertificate(keys, subject, validity)).der;
    expect(await refusedConnect(peer)).toBe('certificate.foreign');
  });

  it('refuses an expired certificate', async () => {
    const peer = await TestPeer.enrolled(t);
    const subject = {
      clientId: peer.clientId,
      projectId: (await peerProject(peer)) ?? '',
      publicKey: await peer.publicKey(),
    };
    const past = { now: new Date(t.clock.now() - 120_000), lifetimeMs: 60_000 };
    peer.certificateDer = (await t.authority.issueClient(subject, past)).der;
    expect(await refusedConnect(peer)).toBe('certificate.expired');
  });

  it("refuses a certificate with another project than its client's", async () => {
    const peer = await TestPeer.enrolled(t);
    const elsewhere = await t.createProject();
    const subject = { clientId: peer.clientId, projectId: elsewhere, publicKey: await peer.publicKey() };
    const issued = await t.authority.issueClient(subject, { now: new Date(t.clock.now()), lifetimeMs: 60_000 });
    const row = {
      serial: issued.serial,
      client_id: peer.clientId,
      project_id: elsewhere,
      key_digest: Buffer.alloc(32),
      issued_at: issued.issuedAt,
      expires_at: issued.expiresAt,
      revoke_reason: null,
    };
    await t.database.db.insertInto('client_certificates').values(row).execute();
    peer.certificateDer = issued.der;
    expect(await refusedConnect(peer)).toBe('certificate.client_unknown');
  });

  it("refuses the controller's own server certificate and one that is not on record", async () => {
    const peer = await TestPeer.enrolled(t);
    const subject = {
      clientId: peer.clientId,
      projectId: (await peerProject(peer)) ?? '',
      publicKey: await peer.publicKey(),
    };
    peer.certificateDer = (
      await t.authority.issueClient(subject, { now: new Date(t.clock.now()), lifetimeMs: 60_000 })
    ).der;
    expect(await refusedConnect(peer)).toBe('certificate.client_unknown');
  });

  it('records every refusal with its reason', async () => {
    const codes = (await t.deniedAudits()).filter(({ action }) => action === 'client.connect').map(({ code }) => code);
    expect(new Set(codes)).toEqual(
      new Set(['certificate.missing', 'certificate.foreign', 'certificate.expired', 'certificate.client_unknown']),
    );
  });

  it('ends the streams of a revoked client at once, for good', async () => {
    const peer = await TestPeer.enrolled(t);
    const other = await TestPeer.enrolled(t);
    const dialled = (await Dialled.to(peer)).hello();
    const bystander = (await Dialled.to(other)).hello();
    await dialled.until('desiredState');
    await bystander.until('desiredState');
    await t.database.db.transaction().execute((tx) => revokeClient(tx, peer.clientId, 'test', new Date(t.clock.now())));
    await dialled.ended;
    expect(await refusedConnect(peer)).toBe('certificate.revoked');
    expect(t.streams.commands.isConnected(other.clientId)).toBe(true);
    bystander.close();
    dialled.close();
  });

  it('lets no revoked client renew, even if both happen at once', async () => {
    const peer = await TestPeer.enrolled(t);
    const revoke = () =>
      t.database.db.transaction().execute((tx) => revokeClient(tx, peer.clientId, 'test', new Date(t.clock.now())));
    await Promise.allSettled([peer.renew(t), revoke(), peer.renew(t)]);
    const standing = await t.database.db
      .selectFrom('client_certificates')
      .select('serial')
      .where('client_id', '=', peer.clientId)
      .where('revoked_at', 'is', null)
      .execute();
    expect(standing).toEqual([]);
  });
});

describe('the port for strangers', () => {
  it('closes a connection that sends nothing, before and after the handshake', async () => {
    const silent = connectTcp(t.port, '127.0.0.1');
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.on('error', () => undefined);
    const shaken = connectTls({ host: '127.0.0.1', port: t.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    const ended = new Promise((resolve) => shaken.once('close', resolve));
    shaken.on('error', () => undefined);
    shaken.resume();
    await Promise.all([closed, ended]);
  });

  it('closes a connection that sends more than an enrolment', async () => {
    const shaken = connectTls({ host: '127.0.0.1', port: t.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    shaken.on('error', () => undefined);
    shaken.resume();
    const ended = new Promise((resolve) => shaken.once('close', resolve));
    await new Promise((resolve) => shaken.once('secureConnect', resolve));
    shaken.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    // SETTINGS, then endless PINGs (RFC 9113 sections 6.5 and 6.7).
    shaken.write(Buffer.from('000000040000000000', 'hex'));
    const pings = Buffer.concat(
      Array.from({ length: 4096 }, () => Buffer.from('0000080600000000000102030405060708', 'hex')),
    );
    const flood = setInterval(() => shaken.write(pings), 2);
    await ended;
    clearInterval(flood);
  });

  it('does not confuse connections by address and port', () => {
    const peers = new PeerTable(t.authority.certificate);
    const fake = () =>
      Object.assign(new EventEmitter(), {
        remoteAddress: '192.0.2.1',
        remotePort: 5,
        getPeerX509Certificate: () => undefined,
      }) as unknown as TLSSocket;
    const first = fake();
    expect(peers.add(first)).toBeDefined();
    expect(peers.add(fake())).toBeUndefined();
    first.emit('close');
    expect(peers.add(fake())).toBeDefined();
  });

  it('survives garbage', async () => {
    for (const bytes of [Buffer.alloc(4096, 0xff), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const socket = connectTcp(t.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.end(bytes);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    const peer = await TestPeer.enrolled(t);
    const dialled = (await Dialled.to(peer)).hello();
    await dialled.until('welcome');
    dialled.close();
  });
});

describe('the ADS stream', () => {
  async function ads(peer: TestPeer, nodeId: string) {
    const client = await peer.connect(t, CommandClient);
    const states: AdsClientState[] = [];
    const snapshots: string[] = [];
    const stream = new AdsClient({
      client,
      nodeId,
      onSnapshot: ({ version }) => snapshots.push(version),
      onState: (state) => states.push(state),
    });
    stream.start();
    const close = async () => {
      await stream.close();
      client.close();
    };
    return { states, snapshots, close };
  }

  it('serves a node of the client', async () => {
    const peer = await TestPeer.enrolled(t);
    const nodeId = formatNodeId({ service: 'web', project: (await peerProject(peer)) ?? '', clientId: peer.clientId });
    const cache = new SnapshotCache();
    const resource = createResource({ typeUrl: RESOURCE_TYPE.cluster, name: 'a' }, new Uint8Array());
    const snapshot = createSnapshot([{ resource }]);
    cache.set(nodeId, planSnapshot(nodeId, snapshot));
    t.nodes.set(nodeId, cache.source(nodeId));
    const stream = await ads(peer, nodeId);
    await waitFor(() => stream.snapshots.length > 0);
    expect(stream.snapshots).toEqual([snapshot.version]);
    await t.database.db.transaction().execute((tx) => revokeClient(tx, peer.clientId, 'test', new Date(t.clock.now())));
    await waitFor(() => stream.states.some((state) => state.kind === 'disconnected'));
    await stream.close();
  });

  it("is refused and recorded for a node that asks for another's resources", async () => {
    const peer = await TestPeer.enrolled(t);
    const victim = await TestPeer.enrolled(t);
    const project = (await peerProject(peer)) ?? '';
    const asked = [
      formatNodeId({ service: 'web', project: (await peerProject(victim)) ?? '', clientId: victim.clientId }),
      formatNodeId({ service: 'web', project, clientId: victim.clientId }),
      formatNodeId({ service: 'web', project: (await peerProject(victim)) ?? '', clientId: peer.clientId }),
      formatNodeId({ service: 'not-here', project, clientId: peer.clientId }),
      'nonsense',
      '',
    ];
    for (const nodeId of asked) {
      if (nodeId.includes(victim.clientId)) t.nodes.set(nodeId, new SnapshotCache().source(nodeId));
      const stream = await ads(peer, nodeId);
      await waitFor(() =>
        stream.states.some((state) => state.kind === 'disconnected' && state.code === status.PERMISSION_DENIED),
      );
      expect(stream.snapshots).toEqual([]);
      await stream.close();
    }
    const audits = (await t.deniedAudits()).filter(
      ({ action, actor }) => action === 'xds.node_refused' && actor === peer.clientId,
    );
    expect(audits.map(({ changes }) => (changes as { node: string }).node).sort()).toEqual(asked.sort());
  });
});

it('the port renews its own certificate in time without ending connections', async () => {
  const leaf = async () => {
    const socket = connectTls({ host: '127.0.0.1', port: t.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    socket.destroy();
    return serial;
  };
  const peer = await TestPeer.enrolled(t);
  const dialled = (await Dialled.to(peer)).hello();
  await dialled.until('welcome');
  const before = await leaf();
  t.clock.advance(3.6 * 86_400_000);
  await waitFor(async () => (await leaf()) !== before);
  expect(t.streams.commands.isConnected(peer.clientId)).toBe(true);
  dialled.close();
});

it('controllers that start at once create one authority, and read it again', async () => {
  const row = await t.database.db.selectFrom('certificate_authority').selectAll().execute();
  expect(row).toHaveLength(1);
  await t.database.db.deleteFrom('certificate_authority').execute();
  const made = await Promise.all([1, 2, 3].map(() => openAuthority(t.database.db, t.keyring, new Date())));
  expect(new Set(made.map(({ fingerprint }) => fingerprint)).size).toBe(1);
});

async function peerProject(peer: TestPeer): Promise<string | undefined> {
  const row = await t.database.db
    .selectFrom('clients')
    .select('project_id')
    .where('id', '=', peer.clientId)
    .executeTakeFirst();
  return row?.project_id;
}
