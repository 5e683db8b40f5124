import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@flotilla/kit/testing';
import { createServerCertificate } from './certificates.ts';

/** A real directory (OpenLDAP) on its own loopback ports, with its data in its own folder. */
export interface LdapServer {
  /** `ldap://`, for StartTLS; nothing else is allowed before it. */
  readonly url: string;
  /** `ldaps://` */
  readonly tlsUrl: string;
  /** The authority of its certificate, which is for `localhost`. */
  readonly ca: string;
  readonly baseDn: string;
  /** A user that may read everything. */
  readonly bindDn: string;
  readonly bindPassword: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Applies changes (LDIF with `changetype`); the server restarts. A modified entry has another `entryUUID` afterwards. */
  change(changes: string): Promise<void>;
  close(): Promise<void>;
}

const BASE_DN = 'dc=example,dc=org';
const BIND_DN = `cn=reader,${BASE_DN}`;
const BIND_PASSWORD = 'Reader-Secret-31';
const START_WITHIN_MS = 30_000;

/**
 * Starts a server with these entries (LDIF, RFC 2849), to which the base and the reader are added. Throws if slapd is
 * not installed.
 */
export async function startLdapServer(entries: string): Promise<LdapServer> {
  if (spawnSync('slapd', ['-VV'], { stdio: 'ignore' }).error)
    throw new Error('this test asks a real directory: install the package slapd (node scripts/system-tools.mjs does)');
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-slapd-'));
  const { certificatePem, privateKeyPem } = await createServerCertificate('localhost');
  const path = (name: string) => join(folder, name);
  await mkdir(path('data'));
  await writeFile(path('cert.pem'), certificatePem);
  await writeFile(path('key.pem'), privateKeyPem, { mode: 0o600 });
  await writeFile(path('slapd.conf'), configuration(path));
  await writeFile(path('entries.ldif'), `${BASE_ENTRIES}\n${entries.trim()}\n`);
  const load = spawnSync('slapadd', ['-q', '-f', path('slapd.conf'), '-l', path('entries.ldif')], { encoding: 'utf8' });
  if (load.status !== 0) throw new Error(`slapadd: ${load.stderr}`);
  const [port = 0, tlsPort = 0] = await findFreePorts(2);
  const url = `ldap://localhost:${port}`;
  const tlsUrl = `ldaps://localhost:${tlsPort}`;
  let running: ChildProcess | undefined;
  const start = async () => {
    const addresses = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
    running = spawn('slapd', ['-d', '0', '-f', path('slapd.conf'), '-h', addresses], { stdio: 'ignore' });
    await waitForPort(tlsPort, running);
  };
  const stop = async () => {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  await start();
  return {
    url,
    tlsUrl,
    ca: certificatePem,
    baseDn: BASE_DN,
    bindDn: BIND_DN,
    bindPassword: BIND_PASSWORD,
    start,
    stop,
    async change(changes) {
      await stop();
      await writeFile(path('changes.ldif'), `${changes.trim()}\n`);
      const done = spawnSync('slapmodify', ['-f', path('slapd.conf'), '-l', path('changes.ldif')], {
        encoding: 'utf8',
      });
      if (done.status !== 0) throw new Error(`slapmodify: ${done.stderr}`);
      await start();
    },
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const BASE_ENTRIES = `dn: ${BASE_DN}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${BIND_DN}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${BIND_PASSWORD}
`;

/** Refuses passwords over unencrypted connections, like a well-run directory. */
function configuration(path: (name: string) => string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${path('slapd.pid')}
TLSCertificateFile ${path('cert.pem')}
TLSCertificateKeyFile ${path('key.pem')}
security simple_bind=128
disallow bind_anon
require authc
database mdb
suffix "${BASE_DN}"
rootdn "cn=root,${BASE_DN}"
directory ${path('data')}
maxsize 33554432
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${BIND_DN}" read by * none
`;
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + START_WITHIN_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`slapd has ended with ${child.exitCode}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    if (Date.now() > until) throw new Error('slapd does not listen');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
