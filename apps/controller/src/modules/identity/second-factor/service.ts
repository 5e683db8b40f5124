import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '@flotilla/db';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { digestBackupCode, makeBackupCodes } from './backup-codes.ts';
import { oneTimeSecretContext } from './encryption-context.ts';
import {
  confirmEnrolment,
  findEnrolment,
  hasPasskey,
  isFactorEnforced,
  isFactorKept,
  putEnrolment,
  replaceBackupCodes,
  spendBackupCode,
  spendStep,
} from './store.ts';
import { describeTotp, findTotpStep, makeTotpSecret } from './totp.ts';

export type FactorKind = 'otp' | 'backup_code';

/** The second factor of a request: one of the two. */
export interface GivenFactor {
  readonly otp_code?: string | undefined;
  readonly backup_code?: string | undefined;
}

/** Shown once. */
export interface FactorSetUp {
  readonly otpauth_uri: string;
  readonly secret: string;
  readonly backup_codes: string[];
}

/** A user's factors at the time of the query. */
export interface FactorState {
  /** Codes are on. */
  readonly otp: boolean;
  readonly passkey: boolean;
  /** The account has at least one of these, so the password alone does not sign in. */
  readonly isOn: boolean;
  /** The installation requires one at every sign-in. */
  readonly isEnforced: boolean;
}

/** Second factors by code. A code is spent in the caller's transaction: a rolled-back sign-in spends nothing. */
export class SecondFactor {
  readonly #keyring: Keyring;
  readonly #codeKey: Buffer;
  readonly #findIssuer: () => string;

  /** `findIssuer`: the name of the installation, shown by authenticators. */
  static async open(keyring: Keyring, findIssuer: () => string): Promise<SecondFactor> {
    const codeKey = await keyring.installationSecret('backup_codes', () => randomBytes(32));
    return new SecondFactor(keyring, codeKey, findIssuer);
  }

  private constructor(keyring: Keyring, codeKey: Buffer, findIssuer: () => string) {
    this.#keyring = keyring;
    this.#codeKey = codeKey;
    this.#findIssuer = findIssuer;
  }

  async stateOf(db: Db | Tx, userId: string): Promise<FactorState> {
    const enrolment = await findEnrolment(db, userId);
    const otp = enrolment?.isConfirmed === true;
    const passkey = await hasPasskey(db, userId);
    return { otp, passkey, isOn: otp || passkey, isEnforced: await isFactorEnforced(db) };
  }

  /** Whether the last factor of the account must stay. */
  isKept(db: Db | Tx, userId: string): Promise<boolean> {
    return isFactorKept(db, userId);
  }

  makeSetUp(username: string): FactorSetUp {
    const secret = makeTotpSecret();
    const issuer = this.#findIssuer();
    return { secret, otpauth_uri: describeTotp({ secret, username, issuer }), backup_codes: makeBackupCodes() };
  }

  /** Stores the secret until the first code confirms it. False if the factor is already on. */
  async begin(tx: Tx, userId: string, { secret, backup_codes: codes }: FactorSetUp, now: Date): Promise<boolean> {
    const encryptedSecret = this.#keyring.encrypt(Buffer.from(secret), oneTimeSecretContext(userId));
    if (!(await putEnrolment(tx, userId, { encryptedSecret, confirmedStep: null }, now))) return false;
    await this.putBackupCodes(tx, userId, codes);
    return true;
  }

  /** Confirms the stored secret with its first code. False if the code is wrong or nothing is stored. */
  async confirm(tx: Tx, userId: string, code: string, now: Date): Promise<boolean> {
    const enrolment = await findEnrolment(tx, userId);
    const step = enrolment && this.#findStep(userId, enrolment.encryptedSecret, code, now);
    if (!enrolment || step === undefined) return false;
    return confirmEnrolment(tx, userId, { encryptedSecret: enrolment.encryptedSecret, step }, now);
  }

  /**
   * Turns on a set-up that the caller has kept, with its first code. False if the code is wrong or the factor is on.
   */
  async turnOn(
    tx: Tx,
    { userId, setUp, code, now }: { userId: string; setUp: FactorSetUp; code: string; now: Date },
  ): Promise<boolean> {
    const step = findTotpStep(setUp.secret, code, now);
    if (step === undefined) return false;
    const encryptedSecret = this.#keyring.encrypt(Buffer.from(setUp.secret), oneTimeSecretContext(userId));
    if (!(await putEnrolment(tx, userId, { encryptedSecret, confirmedStep: step }, now))) return false;
    await this.putBackupCodes(tx, userId, setUp.backup_codes);
    return true;
  }

  /** Spends a code if the factor is on. undefined if it is wrong, spent, or older than the last one used. */
  async take(tx: Tx, userId: string, given: GivenFactor, now: Date): Promise<FactorKind | undefined> {
    if (given.backup_code !== undefined) {
      const hash = digestBackupCode(this.#codeKey, userId, given.backup_code);
      return (await spendBackupCode(tx, userId, hash, now)) ? 'backup_code' : undefined;
    }
    const enrolment = await findEnrolment(tx, userId);
    if (!enrolment?.isConfirmed || given.otp_code === undefined) return undefined;
    const step = this.#findStep(userId, enrolment.encryptedSecret, given.otp_code, now);
    if (step === undefined) return undefined;
    return (await spendStep(tx, userId, { encryptedSecret: enrolment.encryptedSecret, step })) ? 'otp' : undefined;
  }

  async putBackupCodes(tx: Tx, userId: string, codes: readonly string[]): Promise<void> {
    const hashes = codes.map((code) => digestBackupCode(this.#codeKey, userId, code));
    await replaceBackupCodes(tx, userId, hashes);
  }

  #findStep(userId: string, encryptedSecret: Buffer, code: string, now: Date): number | undefined {
    return findTotpStep(this.#keyring.decrypt(encryptedSecret, oneTimeSecretContext(userId)).toString(), code, now);
  }
}
