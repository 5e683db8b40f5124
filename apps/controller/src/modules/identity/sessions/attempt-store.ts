import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { networkOf } from '../../../platform/http/network.ts';
import { foldName } from './fold-name.ts';
import type { SignInPolicy } from './sign-in-policy.ts';

interface Allowance {
  /** Consecutive failures without a wait. */
  readonly free: number;
  readonly maxWaitS: number;
}

/** Many addresses try one account. Waits are short, because they also affect the owner at an unknown address. */
const ACCOUNT: Allowance = { free: 50, maxWaitS: 30 };
/**
 * The same for the account's codes. The attacker already knows the password, so waits may be long: a million codes must
 * last.
 */
const CODES: Allowance = { free: 50, maxWaitS: 900 };
/** One address tries any account, e.g. with a list of names and likely passwords. */
const ADDRESS: Allowance = { free: 100, maxWaitS: 60 };
/** No wait, even by a controller clock that is slightly behind. */
const FREE = new Date(0);
/** Failures are forgotten after this time without a new one. */
const FORGET_S = 3600;
/** Attempts from elsewhere do not delay a network from which the account has signed in within these days. */
const KNOWN_NETWORK_DAYS = 30;
/** Only the account's latest addresses: behind some proxies each sign-in has its own address or port. */
const KNOWN_ADDRESSES_MAX = 1000;

const LISTED_MAX = 1000;

interface Blocked {
  readonly address: string;
  readonly failures: number;
  readonly lastAt: Date;
  /** undefined: not blocked. */
  readonly waitsUntil: Date | undefined;
}

/** An attempt that counts as failed until `succeed` is called. */
export interface Attempt {
  readonly keys: readonly string[];
}

/** The kind of guess: passwords for a typed name, or codes of an account. */
type Tried = { readonly name: string } | { readonly codesOf: string };

/**
 * Slows guessing down, per account and per address, across all controllers. Waits double from one second and are the
 * same for existing and unknown accounts. During a wait no password is checked, so the right one gets the same answer
 * as a wrong one. An attempt is counted before it is checked, so concurrent guesses gain nothing.
 */
export class SignInAttempts {
  readonly #db: Db;
  readonly #policy: Pick<SignInPolicy, 'rules'>;

  constructor(db: Db, policy: Pick<SignInPolicy, 'rules'>) {
    this.#db = db;
    this.#policy = policy;
  }

  /**
   * Starts an attempt with a password for `name`. Throws auth.throttled while the account, or this address with it,
   * must wait.
   */
  begin(name: string, ip: string, now: Date): Promise<Attempt> {
    return this.#begin({ name }, { key: foldName(name), allowance: ACCOUNT }, { ip, now });
  }

  /** The same for a code of an account. */
  beginCode(userId: string, ip: string, now: Date): Promise<Attempt> {
    return this.#begin({ codesOf: userId }, { key: codesOf(userId), allowance: CODES }, { ip, now });
  }

  async #begin(
    tried: Tried,
    { key, allowance }: { key: string; allowance: Allowance },
    { ip, now }: { ip: string; now: Date },
  ): Promise<Attempt> {
    const network = networkOf(ip);
    const pair = digest('pair', key, network);
    const whole = digest('account', key);
    // One address that tries one account is slowed down soon.
    const { free_attempts: free, longest_wait_s: maxWaitS } = this.#policy.rules;
    await this.#count(pair, { free, maxWaitS, account: whole }, now);
    if (await this.#isKnownNetwork(tried, network, now)) return { keys: [pair] };
    await this.#count(whole, { ...allowance, account: whole }, now);
    const address = addressKey(network);
    await this.#count(address, { ...ADDRESS, account: null }, now);
    return { keys: [pair, whole, address] };
  }

  /** The password was right: trusts the address again and removes this attempt from the other counts. */
  async succeed({ keys }: Attempt): Promise<void> {
    const [pair, ...others] = keys;
    if (pair) await this.#db.deleteFrom('sign_in_attempts').where('key', '=', pair).execute();
    if (others.length === 0) return;
    await this.#db
      .updateTable('sign_in_attempts')
      .set({ failures: sql<number>`greatest(failures - 1, 0)`, blocked_until: FREE })
      .where('key', 'in', others)
      .execute();
  }

  /** Nobody could check the password: undoes the attempt. */
  async takeBack({ keys }: Attempt): Promise<void> {
    await this.#db
      .updateTable('sign_in_attempts')
      .set({ failures: sql<number>`greatest(failures - 1, 0)`, blocked_until: FREE })
      .where('key', 'in', [...keys])
      .execute();
  }

  /**
   * Attributes the attempt to the account that a directory knows by this name, so that unlocking the account forgets
   * it. A name that a local account has stays with that account. Local names have no accents, so an attempt for `änn`
   * counts for `ann` and is forgotten with it.
   */
  async tellWhose(
    { keys }: Attempt,
    { issuer, subject, name }: { issuer: string; subject: string; name: string },
  ): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      select user_id as id from external_identities where issuer = ${issuer} and subject = ${subject}
        and not exists (select 1 from users where lower(username) = ${foldName(name)})`.execute(this.#db);
    const owner = digest('account', namesOf(rows[0]?.id ?? ''));
    await this.#db
      .updateTable('sign_in_attempts')
      .set({ account: rows[0] ? owner : sql`account` })
      .where('key', 'in', [...keys])
      .where('account', 'is not', null)
      .execute();
  }

  /** Forgets the attempts on the account, with passwords and codes, by all its names and from all addresses. */
  async unlock(tx: Tx, { id, username }: { readonly id: string; readonly username: string }): Promise<void> {
    const tried = [foldName(username), codesOf(id), namesOf(id)].map((key) => digest('account', key));
    await tx.deleteFrom('sign_in_attempts').where('account', 'in', tried).execute();
  }

  /** Addresses without free attempts left. */
  async listBlocked(db: Db, now: Date): Promise<Blocked[]> {
    const rows = await db
      .selectFrom('sign_in_attempts')
      .select(['key', 'failures', 'last_at', 'blocked_until'])
      .where('key', 'like', `${addressKey('')}%`)
      .where('failures', '>=', ADDRESS.free)
      .where('last_at', '>=', new Date(now.getTime() - FORGET_S * 1000))
      .orderBy('last_at', 'desc')
      .limit(LISTED_MAX)
      .execute();
    return rows.map(({ key, failures, last_at: lastAt, blocked_until: until }) => {
      const waitsUntil = until > now ? until : undefined;
      return { address: key.slice(addressKey('').length), failures, lastAt, waitsUntil };
    });
  }

  /** Forgets the attempts from the address, but not those counted per account. Throws record.not_found. */
  async unlockAddress(tx: Tx, address: string): Promise<void> {
    const network = networkOf(address);
    const { numDeletedRows } = await tx
      .deleteFrom('sign_in_attempts')
      .where('key', '=', addressKey(network))
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw fail('record.not_found', { kind: 'address', name: network });
  }

  async #count(
    key: string,
    { free, maxWaitS, account }: Allowance & { account: string | null },
    now: Date,
  ): Promise<void> {
    const failures = sql<number>`case
      when sign_in_attempts.last_at < ${now}::timestamptz - make_interval(secs => ${FORGET_S}) then 1
      else sign_in_attempts.failures + 1 end`;
    const counted = await this.#db
      .insertInto('sign_in_attempts')
      .values({ key, account, failures: 1, last_at: now, blocked_until: FREE })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            failures,
            last_at: now,
            blocked_until: sql<Date>`case when ${failures} < ${free}::int then ${FREE}::timestamptz
              else ${now}::timestamptz + make_interval(secs =>
                least(${maxWaitS}::float8, power(2, least(${failures} - ${free}::int, 20)))) end`,
          })
          .where('sign_in_attempts.blocked_until', '<=', now),
      )
      .returning('failures')
      .executeTakeFirst();
    if (counted) {
      if (counted.failures === 1) await this.#forgetOld(now);
      return;
    }
    const row = await this.#db
      .selectFrom('sign_in_attempts')
      .select('blocked_until')
      .where('key', '=', key)
      .executeTakeFirst();
    const seconds = Math.max(1, Math.ceil(((row?.blocked_until.getTime() ?? 0) - now.getTime()) / 1000));
    throw fail('auth.throttled', { seconds }, { extra: { retry_after: seconds } });
  }

  async #isKnownNetwork(tried: Tried, network: string, now: Date): Promise<boolean> {
    const rows = await this.#db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('sessions.ip')
      .where((eb) =>
        'name' in tried
          ? eb(eb.fn('lower', ['users.username']), '=', tried.name.toLowerCase())
          : eb('users.id', '=', tried.codesOf),
      )
      .where('sessions.created_at', '>', new Date(now.getTime() - KNOWN_NETWORK_DAYS * 86_400_000))
      .groupBy('sessions.ip')
      .orderBy((eb) => eb.fn.max('sessions.created_at'), 'desc')
      .limit(KNOWN_ADDRESSES_MAX)
      .execute();
    return rows.some(({ ip }) => ip !== null && networkOf(ip) === network);
  }

  /** Deletes a few old rows with each new one, so that the table stays as small as the last hour's activity. */
  async #forgetOld(now: Date): Promise<void> {
    const old = new Date(now.getTime() - FORGET_S * 1000);
    await this.#db
      .deleteFrom('sign_in_attempts')
      .where('key', 'in', (eb) =>
        eb.selectFrom('sign_in_attempts').select('key').where('last_at', '<', old).orderBy('last_at').limit(20),
      )
      .execute();
  }
}

/** Key for codes of the account. A typed name can never produce it: see `foldName`. */
function codesOf(userId: string): string {
  return ` codes ${userId}`;
}

/** Key for passwords tried with the account's other names. */
function namesOf(userId: string): string {
  return ` names ${userId}`;
}

const ROWS_MAX = 200_000;

/** Limits the table for any number of names and addresses: deletes the oldest rows. */
export async function boundAttempts(db: Db): Promise<void> {
  const tooMany = db
    .selectFrom('sign_in_attempts')
    .select('last_at')
    .orderBy('last_at', 'desc')
    .offset(ROWS_MAX)
    .limit(1);
  await db.deleteFrom('sign_in_attempts').where('last_at', '<=', tooMany).execute();
}

/** In plain text, so that administrators can recognise the address. Digests contain no space. */
function addressKey(network: string): string {
  return `address ${network}`;
}

/** Names are stored as digests, because people type passwords into the name field. */
function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}
