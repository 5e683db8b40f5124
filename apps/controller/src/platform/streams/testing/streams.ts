import 'reflect-metadata';
import { createHash, webcrypto, X509Certificate } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { createId, createSecret, createSilentLogger, FakeClock, Lifecycle } from '@flotilla/kit';
import { fleet, formatEnrolmentToken, parseEnrolmentToken, toGrpcDefinition } from '@flotilla/proto';
import type { TestDatabase } from '@flotilla/testkit';
import type { ResourceSource } from '@flotilla/xds';
import { type Client, credentials, makeClientConstructor, type ServiceError } from '@grpc/grpc-js';
import * as x509 from '@peculiar/x509';
import {
  type Authority,
  EnrolmentService,
  openAuthority,
  RevocationList,
  ServerCertificate,
} from '../../../modules/fleet/enrolment/index.ts';
import { insertToken, lockToken, rotateToken } from '../../../modules/fleet/enrolment/token-store.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { type Keyring, openKeyring } from '../../keyring/index.ts';
import { findBySecret } from '../../tokens/index.ts';
import { createStreams, type Streams, type StreamsOptions } from '../index.ts';
import type { ClientIdentity, ClientSession, FleetPort } from '../ports.ts';

export { revokeClient } from '../../../modules/fleet/enrolment/index.ts';
export type { LogsPort as TestStreamsLogs } from '../ports.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const EnrolmentClient = makeClientConstructor(toGrpcDefinition(fleet.EnrolmentService), 'EnrolmentService');
export const CommandClient = makeClientConstructor(toGrpcDefinition(fleet.CommandService), 'CommandService');

/** A fleet in memory: what agents reported, and what to send to them. */
export class FakeFleet implements FleetPort {
  readonly log: string[] = [];
  readonly results = new Map<string, fleet.CommandResult[]>();
  readonly commands = new Map<string, fleet.Command>();
  revision = 1n;
  services: fleet.DesiredService[] = [];
  /** The backlog of each host's access logs, with the batches that it had to drop, as reported last. */
  logSpools: readonly fleet.LogSpool[] = [];
  /** If false, agents must send their events again. */
  storesEvents = true;
  /** Runs before a result is stored. */
  beforeResult: () => Promise<void> = () => Promise.resolve();

  opened(client: ClientIdentity, hello: fleet.Hello): Promise<ClientSession> {
    this.log.push(`opened ${client.clientId} ${hello.facts?.name ?? ''}`);
    if (hello.facts?.metadata.clock) this.log.push(`clock ${hello.facts.metadata.clock}`);
    const note = (text: string) => {
      this.log.push(text);
      return Promise.resolve();
    };
    return Promise.resolve({
      statsIntervalMs: 1000,
      facts: ({ kernel, labels }) => note(`facts ${kernel} ${JSON.stringify(labels)}`),
      desiredState: () =>
        Promise.resolve(
          create(fleet.DesiredStateSchema, { revision: this.revision, services: this.services.map((one) => one) }),
        ),
      unfinishedCommands: () => Promise.resolve([...this.commands.values()]),
      sent: (id) => note(`sent ${id}`),
      accepted: (id) => note(`accepted ${id}`),
      progress: ({ commandId, step }) => note(`progress ${commandId} ${step}`),
      result: async (result) => {
        await this.beforeResult();
        this.commands.delete(result.commandId);
        this.results.set(result.commandId, [...(this.results.get(result.commandId) ?? []), result]);
      },
      nodeReport: ({ serviceId }) => note(`node ${serviceId}`),
      rolloutReport: ({ nodeId, state }) => note(`rollout ${nodeId} ${state}`),
      hostStats: ({ logSpools }) => {
        this.logSpools = logSpools;
        return note('stats');
      },
      shieldCounters: async ({ epoch, minutes }) => {
        await note(`counters ${epoch}`);
        return minutes.at(-1)?.seq;
      },
      shieldEvents: async ({ serviceId, events }) => {
        this.log.push(`events ${serviceId} ${events.map(({ seq }) => seq).join(',')}`);
        return this.storesEvents;
      },
      trafficReport: async ({ serviceId, intervals }) => {
        await note(`traffic ${serviceId}`);
        return intervals.at(-1)?.seq;
      },
      haReport: ({ reportJson }) => note(`ha ${Buffer.from(reportJson).toString()}`),
      closed: (reason) => note(`closed ${client.clientId} ${reason}`),
    });
  }
}

export interface TestStreams {
  readonly database: TestDatabase;
  readonly keyring: Keyring;
  readonly authority: Authority;
  readonly enrolment: EnrolmentService;
  readonly streams: Streams;
  readonly fleet: FakeFleet;
  readonly clock: FakeClock;
  readonly nodes: Map<string, ResourceSource>;
  readonly port: number;
  createProject(): Promise<string>;
  /** `issuedTo`: a user; by default the owner of the installation. */
  createToken(projectId: string, ttlMs?: number, issuedTo?: string): Promise<string>;
  readonly ownerId: string;
  /** Gives the token a new secret; the old one stays valid for `overlapS`. */
  rotateToken(token: string, overlapS: number): Promise<string>;
  deniedAudits(): Promise<Array<{ action: string; code: string | null; actor: string | null; changes: unknown }>>;
  /** Stops the port and everything behind it, but not the database. */
  stop(): Promise<void>;
  /** Listens again on the same port, as after a restart. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The real gRPC port on a real database, with a fake fleet behind it. */
export async function createTestStreams(overrides: Partial<StreamsOptions> = {}): Promise<TestStreams> {
  const database = await createControllerDatabase();
  const clock = new FakeClock(Date.now());
  const now = () => new Date(clock.now());
  const logger = createSilentLogger();
  const keyring = await openKeyring({ db: database.db, masterKey: '11'.repeat(32), keyFile: '' });
  const authority = await openAuthority(database.db, keyring, now());
  const enrolment = new EnrolmentService({
    db: database.db,
    authority,
    lifetimeMs: 86_400_000,
    renewalGraceMs: 30 * 86_400_000,
    clients: {
      async register(tx, { id, projectId, facts, now: at }) {
        const { name, hostname, os, arch, kernel } = facts;
        const text = {
          name,
          hostname,
          os,
          arch,
          kernel,
          agent_version: '',
          runtime_dir: '',
          data_dir: '',
        };
        await tx
          .insertInto('clients')
          .values({
            ...text,
            id,
            project_id: projectId,
            metadata: '{}',
            cores: 1,
            memory_bytes: 1,
            connect_reason: null,
            connected_to: null,
            disconnect_reason: null,
            created_at: at,
            updated_at: at,
          })
          .execute();
      },
      async findProject(db, id) {
        const row = await db.selectFrom('clients').select('project_id').where('id', '=', id).executeTakeFirst();
        return row?.project_id;
      },
    },
  });
  const ownerId = createId();
  await database.db
    .insertInto('users')
    .values({ id: ownerId, username: 'owner', email: null, password_hash: null, is_owner: true, ...madeAt(now()) })
    .execute();
  const fleetPort = new FakeFleet();
  const nodes = new Map<string, ResourceSource>();
  let lifecycle = new Lifecycle();
  const start = async () => {
    lifecycle = new Lifecycle();
    const revocations = new RevocationList({ database, logger, now });
    await revocations.start();
    lifecycle.add(() => revocations.close());
    const streams = await createStreams({
      database,
      authority,
      enrolment,
      revocations,
      serverCertificate: new ServerCertificate(authority, {
        names: ['controller.example.com'],
        clock,
        logger,
        checkMs: 20,
      }),
      fleet: fleetPort,
      nodes: { open: (_, nodeId) => Promise.resolve(nodes.get(nodeId)) },
      clock,
      logger,
      enrolmentsPerMinute: 0,
      ...overrides,
    });
    lifecycle.add(() => streams.close());
    return streams;
  };
  let streams = await start();
  const port = await streams.listen({ host: '127.0.0.1', port: 0 });
  return {
    database,
    keyring,
    authority,
    enrolment,
    get streams() {
      return streams;
    },
    fleet: fleetPort,
    ownerId,
    clock,
    nodes,
    port,
    async createProject() {
      const id = createId();
      const project = { id, name: `p-${id.slice(-12)}`, description: null, created_at: now(), updated_at: now() };
      await database.db.insertInto('projects').values(project).execute();
      return id;
    },
    async createToken(projectId, ttlMs = 3_600_000, issuedTo = ownerId) {
      const secret = createSecret();
      const expires = new Date(clock.now() + ttlMs);
      const row = {
        id: createId(),
        project_id: projectId,
        note: null,
        created_by: 'test',
        created_at: now(),
        expires_at: expires,
        used_by_client: null,
        used_key_digest: null,
      };
      await database.db.transaction().execute((tx) => insertToken(tx, row, { secret, prefix: 'flte_', issuedTo }));
      return formatEnrolmentToken({ secret, fingerprint: authority.fingerprint });
    },
    async rotateToken(token, overlapS) {
      const { secret: old = '' } = parseEnrolmentToken(token) ?? {};
      const secret = createSecret();
      await database.db.transaction().execute(async (tx) => {
        const found = await findBySecret(tx, 'enrolment', old, now());
        const row = found && (await lockToken(tx, { projectId: found.projectId, id: found.tokenId, now: now() }));
        if (!row) throw new Error('there is no such token');
        await rotateToken(tx, row, { secret, prefix: 'flte_', issuedTo: ownerId, overlapS, now: now() });
      });
      return formatEnrolmentToken({ secret, fingerprint: authority.fingerprint });
    },
    async deniedAudits() {
      const rows = await database.db
        .selectFrom('audit_log')
        .select(['action', 'error_code as code', 'actor_id as actor', 'changes'])
        .where('outcome', '=', 'denied')
        .orderBy('id')
        .execute();
      return rows;
    },
    stop: () => lifecycle.close(),
    async restart() {
      await lifecycle.close();
      streams = await start();
      await streams.listen({ host: '127.0.0.1', port });
    },
    async close() {
      await lifecycle.close();
      await database.close();
    },
  };
}

/** A low-level peer with keys and optionally a certificate. */
export class TestPeer {
  readonly keys: webcrypto.CryptoKeyPair;
  certificateDer: Buffer | undefined;
  clientId = '';

  private constructor(keys: webcrypto.CryptoKeyPair) {
    this.keys = keys;
  }

  static async create(): Promise<TestPeer> {
    return new TestPeer(await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  }

  static async enrolled(t: TestStreams, projectId?: string): Promise<TestPeer> {
    const peer = await TestPeer.create();
    const answer = await peer.enrol(t, await t.createToken(projectId ?? (await t.createProject())));
    peer.certificateDer = Buffer.from(answer.certificateDer);
    peer.clientId = answer.clientId;
    return peer;
  }

  async csr(): Promise<Uint8Array> {
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=agent',
      keys: this.keys,
      signingAlgorithm: ALGORITHM,
    });
    return new Uint8Array(request.rawData);
  }

  publicKey(): Promise<x509.PublicKey> {
    return x509.PublicKey.create(this.keys.publicKey);
  }

  async enrol(t: TestStreams, token: string): Promise<fleet.EnrolResponse> {
    const request = create(fleet.EnrolRequestSchema, {
      token,
      csrDer: await this.csr(),
      facts: { name: 'edge', hostname: 'edge.example.com' },
    });
    return callUnary(await this.connect(t, EnrolmentClient), 'enrol', request);
  }

  async renew(t: TestStreams): Promise<fleet.RenewResponse> {
    const request = create(fleet.RenewRequestSchema, { csrDer: await this.csr() });
    return callUnary(await this.connect(t, EnrolmentClient), 'renew', request);
  }

  /** Opens its own connection, so that each client presents the peer's current certificate. */
  async connect(t: TestStreams, Constructor: ReturnType<typeof makeClientConstructor>) {
    const ca = Buffer.from(t.authority.certificatePem);
    const key = x509.PemConverter.encode(
      await webcrypto.subtle.exportKey('pkcs8', this.keys.privateKey),
      'PRIVATE KEY',
    );
    const cert = this.certificateDer && x509.PemConverter.encode(new Uint8Array(this.certificateDer), 'CERTIFICATE');
    const channel = cert ? credentials.createSsl(ca, Buffer.from(key), Buffer.from(cert)) : credentials.createSsl(ca);
    return new Constructor(`127.0.0.1:${t.port}`, channel, {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_http_proxy': 0,
    });
  }
}

/** Closes `client` after the answer. */
export function callUnary<Response>(client: Client, method: string, request: unknown): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const call = Reflect.get(client, method) as (
    request: unknown,
    done: (error: ServiceError | null, response: Response) => void,
  ) => void;
  call.call(client, request, (error, response) => (error ? reject(error) : resolve(response)));
  return promise.finally(() => client.close());
}

/** The stable code of a refusal. */
export function codeOf(error: unknown): string {
  const { metadata, details } = error as ServiceError;
  return String(metadata?.get('flotilla-code')[0] ?? details);
}

export function digestOf(der: Uint8Array): string {
  return createHash('sha256').update(new X509Certificate(der).raw).digest('hex');
}

function madeAt(now: Date) {
  return { password_changed_at: now, created_at: now, updated_at: now };
}
