import { randomUUID } from 'node:crypto';
import type { LdapSettings } from '@flotilla/contract';
import {
  type Client,
  type Entry,
  type Filter,
  InvalidCredentialsError,
  NoSuchObjectError,
  ResultCodeError,
} from 'ldapts';
import { type Asking, bindSearcher, taking, toFailure, withServer } from './connection.ts';
import { nameOfDn, normalizeDn } from './dn.ts';
import { fillFilter, filterOfId } from './filter.ts';
import { findGroups } from './groups.ts';
import { idOf, isOff, type LdapPerson, primaryGroupOf, toPerson, valuesOf, wantedOf } from './person.ts';
import type { LdapServer } from './socket.ts';

export interface GivenPassword {
  readonly username: string;
  readonly password: string;
  /** Id of a known account: the password must be that of this entry, whatever its current name. */
  readonly id?: string;
}

export type LdapAnswer =
  | { readonly kind: 'person'; readonly person: LdapPerson }
  /** `id`: of the entry with that name. */
  | { readonly kind: 'wrong_password'; readonly id?: string | undefined }
  | { readonly kind: 'unknown' | 'ambiguous' | 'off' };

/**
 * Asks one server who a person is and whether the password is right. Steps: connect, bind as the searching account,
 * search for exactly one entry, bind as that entry, read its groups. Unknown names get a bind too, so that their answer
 * is not faster. Referrals are not followed. Throws LdapFailure.
 */
export async function askServer(
  settings: LdapSettings,
  server: LdapServer,
  { given, ...asking }: Asking & { given?: GivenPassword | undefined },
): Promise<LdapAnswer | undefined> {
  // Servers treat a bind without a password as anonymous and accept it (RFC 4513, 5.1.2); some end the password at a
  // NUL.
  if (given && (given.password === '' || given.password.includes('\0'))) return { kind: 'wrong_password' };
  const { onStep = () => undefined } = asking;
  return withServer(settings, server, asking, async (client) => {
    if (!given) return undefined;
    const filter =
      given.id === undefined
        ? fillFilter(settings.user_filter, given.username)
        : filterOfId(settings.id_attribute, given.id);
    const entries = await taking('search', () => findEntries(client, settings, filter));
    onStep('search');
    const [entry] = entries;
    const isOne = entries.length === 1 && entry !== undefined && entry.dn !== '';
    const isRight = await isPasswordOf(client, isOne ? entry.dn : decoyOf(settings), given.password);
    if (!isOne) return { kind: entries.length === 0 ? 'unknown' : 'ambiguous' };
    if (!isRight) return { kind: 'wrong_password', id: idOf(settings, entry) };
    onStep('password');
    if (isOff(entry, new Date())) return { kind: 'off' };
    const person = toPerson(settings, entry, given.username);
    await bindSearcher(client, settings);
    const groups = await taking('groups', () => groupsOf(client, settings, entry));
    onStep('groups');
    return { kind: 'person', person: { ...person, groups } };
  });
}

export function groupsOf(client: Client, settings: LdapSettings, entry: Entry): Promise<string[]> {
  const memberOf = valuesOf(entry, 'memberOf').map(String);
  return findGroups(client, settings, { dn: entry.dn, memberOf, primaryGroup: primaryGroupOf(entry) });
}

/** Returns a predicate for whether a rule's group is one of these, by its distinguished name or its first name part. */
export function groupMatcher(groups: readonly string[]): (named: string) => boolean {
  const dns = new Set(groups.map(normalizeDn));
  const names = new Set(groups.map(nameOfDn));
  return (named) => (named.includes('=') ? dns.has(normalizeDn(named)) : names.has(named.toLowerCase()));
}

async function findEntries(client: Client, settings: LdapSettings, filter: Filter): Promise<Entry[]> {
  const { searchEntries } = await client.search(settings.base_dn, {
    scope: 'sub',
    derefAliases: 'never',
    filter,
    ...wantedOf(settings),
    // One more than wanted, to detect several matches.
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
    // Refused for another reason (locked, expired, not permitted): sign-in fails, but the server works.
    if (error instanceof ResultCodeError && !isServerFault(error)) return false;
    throw toFailure('password', error);
  }
}

/** A name without an entry, so that the server does the work of a bind and refuses it. */
function decoyOf({ base_dn: baseDn }: LdapSettings): string {
  return `cn=${randomUUID()}${baseDn === '' ? '' : `,${baseDn}`}`;
}

/** busy, unavailable, other (RFC 4511, 4.1.9). */
function isServerFault({ code }: ResultCodeError): boolean {
  return [51, 52, 80].includes(code);
}
