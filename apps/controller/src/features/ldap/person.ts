import { Buffer } from 'node:buffer';
import type { LdapSettings } from '@flotilla/contract';
import type { Entry } from 'ldapts';
import { LdapFailure } from './failure.ts';

export interface LdapPerson {
  readonly dn: string;
  /** What never changes of the entry. */
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  /** Distinguished names. */
  readonly groups: readonly string[];
}

/** Of Active Directory: says whether the account is off (bit 2), and until when it is on. */
const ACCOUNT_CONTROL = 'userAccountControl';
const ACCOUNT_EXPIRES = 'accountExpires';
/** Of 389 Directory Server and its kin. */
const ACCOUNT_LOCK = 'nsAccountLock';
/** The group that an account of Active Directory is in without being named by it, as the last part of its SID. */
const SID = 'objectSid';
const PRIMARY_GROUP = 'primaryGroupID';

const ACCOUNT_DISABLE = 0x2;
/** From 1601 to 1970, and what Active Directory writes for "never". */
const EPOCH_OFFSET_MS = 11_644_473_600_000;
const NEVER_EXPIRES = 0x7fff_ffff_ffff_ffffn;

/** What is asked for of an entry. */
export function wantedOf({ id_attribute: id, name_attribute: name, email_attribute: email, groups }: LdapSettings) {
  const ofGroups = [...(groups.from === 'member_of' ? ['memberOf'] : []), SID, PRIMARY_GROUP];
  return {
    attributes: [
      ...new Set([
        id,
        name,
        email,
        ACCOUNT_CONTROL,
        ACCOUNT_EXPIRES,
        ACCOUNT_LOCK,
        ...(groups.from === 'none' ? [] : ofGroups),
      ]),
    ],
    explicitBufferAttributes: [id, SID],
  };
}

/** Throws LdapFailure where the entry has no name, or nothing by which it would be known again. */
export function toPerson(settings: LdapSettings, entry: Entry, asked: string): Omit<LdapPerson, 'groups'> {
  const id = idOf(settings, entry);
  if (id === undefined)
    throw new LdapFailure('search', `the entry has no ${settings.id_attribute}, by which it would be known again`);
  const names = valuesOf(entry, settings.name_attribute).map(String);
  const username = names.find((name) => name.toLowerCase() === asked.toLowerCase()) ?? names[0];
  if (username === undefined) throw new LdapFailure('search', `the entry has no ${settings.name_attribute}`);
  const [email] = valuesOf(entry, settings.email_attribute).map(String);
  return { dn: entry.dn, id, username, email: email ?? null };
}

export function idOf(settings: LdapSettings, entry: Entry): string | undefined {
  const [id] = valuesOf(entry, settings.id_attribute);
  return id === undefined || id.length === 0 ? undefined : toText(id);
}

/** Switched off or over in the directory. A server that knows of neither says nothing, and keeps the bind. */
export function isOff(entry: Entry, now: Date): boolean {
  const [control] = valuesOf(entry, ACCOUNT_CONTROL).map(String);
  if (control !== undefined && (Number(control) & ACCOUNT_DISABLE) !== 0) return true;
  const [lock] = valuesOf(entry, ACCOUNT_LOCK).map(String);
  if (lock?.toLowerCase() === 'true') return true;
  const [expires] = valuesOf(entry, ACCOUNT_EXPIRES).map(String);
  return expires !== undefined && /^\d{1,19}$/.test(expires) && isPast(BigInt(expires), now);
}

/** The SID of the primary group: that of the account with another last part ([MS-DTYP] 2.4.2.2). Undefined elsewhere. */
export function primaryGroupOf(entry: Entry): Buffer | undefined {
  const [sid] = valuesOf(entry, SID);
  const [rid] = valuesOf(entry, PRIMARY_GROUP).map(Number);
  if (!Buffer.isBuffer(sid) || rid === undefined || !Number.isInteger(rid)) return undefined;
  // Revision, count of parts, authority (6 octets), parts of 4 octets each.
  if (sid.length < 12 || sid.length !== 8 + 4 * (sid[1] ?? 0) || rid < 0 || rid > 0xffff_ffff) return undefined;
  const group = Buffer.from(sid);
  group.writeUInt32LE(rid, group.length - 4);
  return group;
}

/** Names of attributes come back in the spelling of the server. */
export function valuesOf(entry: Entry, name: string): (Buffer | string)[] {
  const key = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key];
  return [value ?? []].flat();
}

/** 100 ns since 1601; 0 and the greatest number are "never". */
function isPast(expires: bigint, now: Date): boolean {
  if (expires === 0n || expires === NEVER_EXPIRES) return false;
  return Number(expires / 10_000n) - EPOCH_OFFSET_MS <= now.getTime();
}

/** Octets that are no text (objectGUID) as hexadecimal digits. */
function toText(id: Buffer | string): string {
  if (typeof id === 'string') return id;
  const text = id.toString();
  return /^[\x21-\x7e]+$/.test(text) ? text : id.toString('hex');
}
