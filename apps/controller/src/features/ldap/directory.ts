import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { LdapSettings } from '@flotilla/contract';
import { Client, type Entry, InvalidCredentialsError, NoSuchObjectError, ResultCodeError } from 'ldapts';
import { nameOfDn, normalizeDn } from './dn.ts';
import { LdapFailure, type LdapStep } from './failure.ts';
import { fillFilter } from './filter.ts';
import { findGroups } from './groups.ts';
import { type LdapServer, openSocket } from './socket.ts';

/** Of all answers to one question. Limits of what is searched for are a request: only a server that is well keeps to them. */
const ANSWERS_MAX_BYTES = 16 * 1024 * 1024;

export interface LdapPerson {
  readonly dn: string;
  /** What never changes of the entry. */
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  /** Distinguished names. */
  readonly groups: readonly string[];
}

export interface GivenPassword {
  readonly username: string;
  readonly password: string;
}

export type LdapAnswer =
  | { readonly kind: 'person'; readonly person: LdapPerson }
  | { readonly kind: 'unknown' | 'ambiguous' | 'wrong_password' };

/** Hears of every step that is taken. */
export type StepListener = (step: LdapStep) => void;

/**
 * Asks one server who somebody is and whether the password is right. Steps: a connection, the bind of the searching account, the
 * search for exactly one entry, the bind of that entry, its groups. Names that are not there take a bind as well, so that
 * their answer comes no sooner. Referrals are not followed. Throws LdapFailure.
 */
export async function askServer(
  settings: LdapSettings,
  server: LdapServer,
  { given, onStep = () => undefined }: { given?: GivenPassword | undefined; onStep?: StepListener },
): Promise<LdapAnswer | undefined> {
  // Without a password a server takes the bind for one of nobody and agrees (RFC 4513, 5.1.2); some end it at a NUL.
  if (given && (given.password === '' || given.password.includes('\0'))) return { kind: 'wrong_password' };
  const socket = await openSocket(server, { ca: settings.ca, timeoutMs: settings.timeout_ms });
  onStep(server.url.startsWith('ldaps:') || server.start_tls ? 'tls' : 'connect');
  const client = clientOf(socket, settings.timeout_ms);
  try {
    await bindSearcher(client, settings);
    onStep('bind');
    if (!given) return undefined;
    const entries = await taking('search', () => findEntries(client, settings, given.username));
    onStep('search');
    const [entry] = entries;
    const isOne = entries.length === 1 && entry !== undefined && entry.dn !== '';
    const isRight = await isPasswordOf(client, isOne ? entry.dn : decoyOf(settings), given.password);
    if (!isOne) return { kind: entries.length === 0 ? 'unknown' : 'ambiguous' };
    if (!isRight) return { kind: 'wrong_password' };
    onStep('password');
    const person = toPerson(settings, entry, given.username);
    await bindSearcher(client, settings);
    const memberOf = valuesOf(entry, 'memberOf').map(String);
    const groups = await taking('groups', () => findGroups(client, settings, { dn: entry.dn, memberOf }));
    onStep('groups');
    return { kind: 'person', person: { ...person, groups } };
  } finally {
    socket.destroy();
  }
}

/** Whether the group that a rule names is one of these: by its distinguished name, or by the name in front of it. */
export function groupMatcher(groups: readonly string[]): (named: string) => boolean {
  const dns = new Set(groups.map(normalizeDn));
  const names = new Set(groups.map(nameOfDn));
  return (named) => (named.includes('=') ? dns.has(normalizeDn(named)) : names.has(named.toLowerCase()));
}

function clientOf(socket: Socket, timeout: number): Client {
  let isUsed = false;
  return new Client({
    url: 'ldap://localhost',
    timeout,
    createConnection: () => {
      // A second connection would be one in the clear, and of nobody.
      if (isUsed) throw new Error('the server ended the connection');
      isUsed = true;
      endBeyond(socket, ANSWERS_MAX_BYTES);
      return socket;
    },
  });
}

/** The library keeps whatever comes until its time is up. */
function endBeyond(socket: Socket, maxBytes: number): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy(new Error('the server says more than is read of it'));
  });
}

async function bindSearcher(client: Client, { bind_dn: dn, bind_password: password }: LdapSettings): Promise<void> {
  if (dn !== '' && !password) throw new LdapFailure('bind', 'bind_dn has no bind_password');
  await taking('bind', () => client.bind(dn, dn === '' ? '' : (password ?? '')));
}

async function findEntries(client: Client, settings: LdapSettings, username: string): Promise<Entry[]> {
  const { id_attribute: id, name_attribute: name, email_attribute: email } = settings;
  const { searchEntries } = await client.search(settings.base_dn, {
    scope: 'sub',
    derefAliases: 'never',
    filter: fillFilter(settings.user_filter, username),
    attributes: [id, name, email, ...(settings.groups.from === 'member_of' ? ['memberOf'] : [])],
    explicitBufferAttributes: [id],
    // One more than wanted tells that there are several.
    sizeLimit: 2,
  });
  return searchEntries;
}

async function isPasswordOf(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof InvalidCredentialsError || error instanceof NoSuchObjectError) return false;
    // Refused for a reason of its own (locked, expired, not allowed here): no sign-in either, and no fault of the server.
    if (error instanceof ResultCodeError && !isServerFault(error)) return false;
    throw toFailure('password', error);
  }
}

/** A name under which nobody is: the server does the work of a bind and says no. */
function decoyOf({ base_dn: baseDn }: LdapSettings): string {
  return `cn=${randomUUID()}${baseDn === '' ? '' : `,${baseDn}`}`;
}

function toPerson(settings: LdapSettings, entry: Entry, asked: string): Omit<LdapPerson, 'groups'> {
  const [id] = valuesOf(entry, settings.id_attribute);
  if (id === undefined || id.length === 0)
    throw new LdapFailure('search', `the entry has no ${settings.id_attribute}, by which it would be known again`);
  const names = valuesOf(entry, settings.name_attribute).map(String);
  const username = names.find((name) => name.toLowerCase() === asked.toLowerCase()) ?? names[0];
  if (username === undefined) throw new LdapFailure('search', `the entry has no ${settings.name_attribute}`);
  const [email] = valuesOf(entry, settings.email_attribute).map(String);
  return { dn: entry.dn, id: toText(id), username, email: email ?? null };
}

/** Octets that are no text (objectGUID) as hexadecimal digits. */
function toText(id: Buffer | string): string {
  if (typeof id === 'string') return id;
  const text = id.toString();
  return /^[\x21-\x7e]+$/.test(text) ? text : id.toString('hex');
}

/** Names of attributes come back in the spelling of the server. */
function valuesOf(entry: Entry, name: string): (Buffer | string)[] {
  const key = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key];
  return [value ?? []].flat();
}

async function taking<T>(step: LdapStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof LdapFailure ? error : toFailure(step, error);
  }
}

function toFailure(step: LdapStep, error: unknown): LdapFailure {
  const name = error instanceof ResultCodeError ? `the server answers ${error.code}` : 'no answer';
  return new LdapFailure(step, name, { cause: error });
}

/** busy, unavailable, other (RFC 4511, 4.1.9). */
function isServerFault({ code }: ResultCodeError): boolean {
  return [51, 52, 80].includes(code);
}
