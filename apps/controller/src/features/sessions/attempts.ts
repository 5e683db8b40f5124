import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { networkOf } from '../../http/network.ts';
import type { SignInPolicy } from './sign-in-policy.ts';
import { foldName } from './spelling.ts';

interface Allowance {
  /** Failed attempts in a row that cost no wait. */
  readonly free: number;
  readonly maxWaitS: number;
}

/** Many addresses trying one account. Short waits, since they also meet its owner at an address we do not know. */
const ACCOUNT: Allowance = { free: 50, maxWaitS: 30 };
/** The same with its codes. Who tries these knows the password: the wait need not be short, and a million codes must last. */
const CODES: Allowance = { free: 50, maxWaitS: 900 };
/** One address trying any account: a list of names and their likely passwords. */
const ADDRESS: Allowance = { free: 100, maxWaitS: 60 };
/** No wait, also for who came a moment earlier by another clock. */
const FREE = new Date(0);
/** Failures are forgotten after that long without another. */
const FORGET_S = 3600;
/** A network the account has signed in from in these days is not held up by what others do. */
const KNOWN_NETWORK_DAYS = 30;
/** Of the account, the latest: behind some proxies each sign-in has an address, or a port, of its own. */
const KNOWN_ADDRESSES_MAX = 1000;

const LISTED_MAX = 1000;

interface Blocked {
  readonly address: string;
  readonly failures: number;
  readonly lastAt: Date;
  /** Undefined: the next try is looked at. */
  readonly waitsUntil: Date | undefined;
}

/** An attempt that counts as failed until `succeed` says otherwise. */
export interface Attempt {
  readonly keys: readonly string[];
}

/** What is tried: passwords of a name as somebody typed it, or codes of an account. */
type Tried = { readonly name: string } | { readonly codesOf: string };

/**
 * Slows guessing down, per account and per address, over all controllers. Waits double from one second on and are the same for
 * accounts that exist and those that do not; while one lasts, no password is looked at, so that the right one gives the
 * same answer as a wrong one. An attempt is counted before it is checked: guesses sent all at once gain nothing.
 */
export class SignInAttempts {
  readonly #db: Db;
  readonly #policy: Pick<SignInPolicy, 'rules'>;

  constructor(db: Db, policy: Pick<SignInPolicy, 'rules'>) {
    this.#db = db;
    this.#policy = policy;
  }

  /** A password for `name`. Throws auth.throttled while the account, or this address with it, has to wait. */
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
    // One address trying one account: soon slow.
    const { free_attempts: free, longest_wait_s: maxWaitS } = this.#policy.rules;
    await this.#count(pair, { free, maxWaitS, account: whole }, now);
    if (await this.#isKnownNetwork(tried, network, now)) return { keys: [pair] };
    await this.#count(whole, { ...allowance, account: whole }, now);
    const address = addressKey(network);
    await this.#count(address, { ...ADDRESS, account: null }, now);
    return { keys: [pair, whole, address] };
  }

  /** The password was right: the address is trusted again, and the other counts lose what this attempt added. */
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

  /** Nobody could say whether the password was right: as if it had not been tried. */
  async takeBack({ keys }: Attempt): Promise<void> {
    await this.#db
      .updateTable('sign_in_attempts')
      .set({ failures: sql<number>`greatest(failures - 1, 0)`, blocked_until: FREE })
      .where('key', 'in', [...keys])
      .execute();
  }

  /**
   * Whom a directory knows by the name that was tried: what was tried by it is forgotten with what was tried by that of
   * their account. A name that an account of here has is that one's; names here have no accents, so what is tried as `änn` is
   * counted with `ann` and stays what its reset forgets.
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

  /** Forgets what was tried on the account, passwords and codes, by all its names and from all addresses. */
  async unlock(tx: Tx, { id, username }: { readonly id: string; readonly username: string }): Promise<void> {
    const tried = [foldName(username), codesOf(id), namesOf(id)].map((key) => digest('account', key));
    await tx.deleteFrom('sign_in_attempts').where('account', 'in', tried).execute();
  }

  /** Addresses that have no free tries left. */
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

  /** Forgets what was tried from the address, but not on which accounts. Throws record.not_found. */
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

  /** A few old rows go whenever a new one comes, so that the table stays as small as the last hour was busy. */
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

/** The account, where codes of it are tried. A name that was typed is never that: see `foldName`. */
function codesOf(userId: string): string {
  return ` codes ${userId}`;
}

/** The account, where passwords of its other names are tried. */
function namesOf(userId: string): string {
  return ` names ${userId}`;
}

const ROWS_MAX = 200_000;

/** However many names and addresses there are to try: the longest unseen are forgotten. */
export async function boundAttempts(db: Db): Promise<void> {
  const tooMany = db
    .selectFrom('sign_in_attempts')
    .select('last_at')
    .orderBy('last_at', 'desc')
    .offset(ROWS_MAX)
    .limit(1);
  await db.deleteFrom('sign_in_attempts').where('last_at', '<=', tooMany).execute();
}

/** In the open, so that whoever unlocks one knows which. No digest has a space. */
function addressKey(network: string): string {
  return `address ${network}`;
}

/** Names are kept as digests: people type passwords into the name field. */
function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}
