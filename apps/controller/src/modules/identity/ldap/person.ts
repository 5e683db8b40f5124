import { Buffer } from 'node:buffer';
import type { LdapSettings } from '@flotilla/contract';
import type { Entry } from 'ldapts';
import { LdapFailure } from './failure.ts';

export interface LdapPerson {
  readonly dn: string;
  /** The immutable id of the entry. */
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  /** Distinguished names. */
  readonly groups: readonly string[];
}

/** Active Directory: whether the account is disabled (bit 2), and its expiry. */
const ACCOUNT_CONTROL = 'userAccountControl';
const ACCOUNT_EXPIRES = 'accountExpires';
/** 389 Directory Server and its relatives. */
const ACCOUNT_LOCK = 'nsAccountLock';
/**
 * The primary group of an Active Directory account, given as the last part of its SID; the group does not list the
 * account.
 */
const SID = 'objectSid';
const PRIMARY_GROUP = 'primaryGroupID';

const ACCOUNT_DISABLE = 0x2;
/** Milliseconds from 1601 to 1970, and Active Directory's value for "never". */
const EPOCH_OFFSET_MS = 11_644_473_600_000;
const NEVER_EXPIRES = 0x7fff_ffff_ffff_ffffn;

/** The attributes to request. */
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

/** Throws LdapFailure if the entry has no name or no immutable id. */
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

/**
 * Whether the account is disabled or expired in the directory. Servers with neither attribute must refuse the bind
 * themselves.
 */
export function isOff(entry: Entry, now: Date): boolean {
  const [control] = valuesOf(entry, ACCOUNT_CONTROL).map(String);
  if (control !== undefined && (Number(control) & ACCOUNT_DISABLE) !== 0) return true;
  const [lock] = valuesOf(entry, ACCOUNT_LOCK).map(String);
  if (lock?.toLowerCase() === 'true') return true;
  const [expires] = valuesOf(entry, ACCOUNT_EXPIRES).map(String);
  return expires !== undefined && /^\d{1,19}$/.test(expires) && isPast(BigInt(expires), now);
}

/**
 * The SID of the primary group: the account's SID with another last part ([MS-DTYP] 2.4.2.2). undefined for other
 * directories.
 */
export function primaryGroupOf(entry: Entry): Buffer | undefined {
  const [sid] = valuesOf(entry, SID);
  const [rid] = valuesOf(entry, PRIMARY_GROUP).map(Number);
  if (!Buffer.isBuffer(sid) || rid === undefined || !Number.isInteger(rid)) return undefined;
  // Revision, number of parts, authority (6 octets), parts of 4 octets each.
  if (sid.length < 12 || sid.length !== 8 + 4 * (sid[1] ?? 0) || rid < 0 || rid > 0xffff_ffff) return undefined;
  const group = Buffer.from(sid);
  group.writeUInt32LE(rid, group.length - 4);
  return group;
}

/** Servers return attribute names in their own spelling. */
export function valuesOf(entry: Entry, name: string): (Buffer | string)[] {
  const key = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key];
  return [value ?? []].flat();
}

/** Units of 100 ns since 1601; 0 and the maximum mean "never". */
function isPast(expires: bigint, now: Date): boolean {
  if (expires === 0n || expires === NEVER_EXPIRES) return false;
  return Number(expires / 10_000n) - EPOCH_OFFSET_MS <= now.getTime();
}

/** Converts binary ids (objectGUID) to hexadecimal digits. */
function toText(id: Buffer | string): string {
  if (typeof id === 'string') return id;
  const text = id.toString();
  return /^[\x21-\x7e]+$/.test(text) ? text : id.toString('hex');
}
