import 'reflect-metadata';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { EmbeddedServer, openDatabase } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import * as x509 from '@peculiar/x509';
import { ClientRegistry } from '../modules/fleet/clients/index.ts';
import { openAuthority } from '../modules/fleet/enrolment/index.ts';
import { insertCertificate } from '../modules/fleet/enrolment/store.ts';
import { toPem } from '../modules/fleet/enrolment/x509.ts';
import { openKeyring } from '../platform/keyring/index.ts';
import { hostFacts } from './fleet.ts';

export interface EnrolledHost {
  readonly clientId: string;
  readonly projectId: string;
  readonly name: string;
  readonly certificatePem: string;
}

/** Hosts that share one key pair, which saves nothing for the controller. */
export interface EnrolledHosts {
  readonly caPem: string;
  readonly keyPem: string;
  readonly hosts: readonly EnrolledHost[];
}

const PER_TRANSACTION = 250;
const LIFETIME_MS = 24 * 3_600_000;

/**
 * Enrols many hosts with the authority of a controller that has its embedded database in `dataDir`, without its limit on
 * enrolments per minute. The controller has started at least once and may be running. The hosts are spread evenly over
 * the projects.
 */
export async function enrolMany(options: {
  readonly dataDir: string;
  readonly masterKey: string;
  readonly projects: readonly string[];
  readonly count: number;
}): Promise<EnrolledHosts> {
  const { dataDir, masterKey, projects, count } = options;
  const logger = createSilentLogger();
  const server = await EmbeddedServer.open({ dataDir: join(dataDir, 'database'), logger });
  const database = openDatabase(server.appConnection('flotilla'), logger, { maxConnections: 2 });
  try {
    const { db } = database;
    const now = new Date();
    const keyring = await openKeyring({ db, masterKey, keyFile: '' });
    const authority = await openAuthority(db, keyring, now);
    const clients = new ClientRegistry({ db, controllerId: createId() });
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const publicKeyDer = keys.publicKey.export({ type: 'spki', format: 'der' });
    const publicKey = new x509.PublicKey(new Uint8Array(publicKeyDer));
    const keyDigest = createHash('sha256').update(publicKeyDer).digest();
    const hosts: EnrolledHost[] = [];
    while (hosts.length < count) {
      const some = Math.min(PER_TRANSACTION, count - hosts.length);
      await db.transaction().execute(async (tx) => {
        for (let n = 0; n < some; n += 1) {
          const projectId = projects[hosts.length % projects.length] ?? '';
          const name = `edge-${hosts.length}`;
          const id = createId();
          await clients.register(tx, { id, projectId, facts: hostFacts({ name }), now });
          const issued = await authority.issueClient(
            { clientId: id, projectId, publicKey },
            { now, lifetimeMs: LIFETIME_MS },
          );
          await insertCertificate(tx, issued, { clientId: id, projectId, keyDigest });
          hosts.push({ clientId: id, projectId, name, certificatePem: toPem(issued.der) });
        }
      });
    }
    const keyPem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { caPem: authority.certificatePem, keyPem, hosts };
  } finally {
    await database.close();
    await server.close();
  }
}
