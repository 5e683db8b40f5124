import type { SettingsType } from '@flotilla/contract';
import type { Database } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type * as z from 'zod';
import type { Keyring } from '../keyring/index.ts';
import { type SettingFollowUp, SettingFollowUps } from './follow-ups.ts';
import { type SettingGuard, SettingGuards } from './guards.ts';
import { type AcceptableSetting, type ReadSetting, SettingReader } from './reader.ts';
import { RefusalLog } from './refusal-log.ts';
import { type SettingTest, SettingTrials } from './trials.ts';
import { resolveGiven } from './try.ts';
import { SettingsWatch } from './watch.ts';

/** Settings as other features read them. */
export interface Settings extends Closable {
  /**
   * Reads the current value from the database; a project without its own document gets the installation's, and defaults
   * apply if nothing was written. Throws for a named document that does not exist.
   */
  get<S extends z.ZodObject>(
    type: SettingsType<S>,
    at?: { readonly project?: string; readonly name?: string },
  ): Promise<ReadSetting<S>>;
  /**
   * Like `get`, for callers that must not fail because of a value that this version refuses or a secret that cannot be
   * decrypted: the result is never less strict than the stored value, and outgoing connections are off. Logs each
   * refused write once.
   */
  getAcceptable<S extends z.ZodObject>(
    type: SettingsType<S>,
    at?: { readonly project?: string; readonly name?: string },
  ): Promise<AcceptableSetting<S>>;
  /** Names of the documents of a kind with many documents: of the project, or without one of the installation. */
  names(type: SettingsType, project?: string): Promise<string[]>;
  /**
   * Watches a document of the installation: calls the listener with the current value before it resolves, then after
   * every change on any controller, within a second of the commit (5 s if notifications are lost). Values arrive in
   * order.
   */
  watch<S extends z.ZodObject>(type: SettingsType<S>, listener: (value: z.output<S>) => void): Promise<Closable>;
  /**
   * The document of the installation as it would be read after storing `body`; without a body, as it is now. Throws the
   * errors of storing it.
   */
  resolve<S extends z.ZodObject>(type: SettingsType<S>, body: unknown): Promise<z.output<S>>;
  /** Enables `/test` for a kind, with the test of the feature that uses the documents. */
  addTest<S extends z.ZodObject>(type: SettingsType<S>, test: SettingTest<S>): void;
  readonly trials: SettingTrials;
  /** Requires confirmation for changes of this kind that affect others. */
  addGuard<S extends z.ZodObject>(type: SettingsType<S>, guard: SettingGuard<S>): void;
  readonly guards: SettingGuards;
  /** Registers work that runs in the transaction of a change. */
  addFollowUp(type: SettingsType, followUp: SettingFollowUp): void;
  readonly followUps: SettingFollowUps;
}

export interface SettingsDeps {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly keyring: Keyring;
  readonly logger: Logger;
}

export async function openSettings({ database, keyring, logger }: SettingsDeps): Promise<Settings> {
  const reader = new SettingReader(database.db, keyring);
  const watch = new SettingsWatch(reader, logger);
  await watch.start(database);
  const refusals = new RefusalLog(logger);
  const trials = new SettingTrials();
  const guards = new SettingGuards();
  const followUps = new SettingFollowUps();
  return {
    trials,
    guards,
    followUps,
    addGuard: (type, guard) => guards.add(type, guard),
    addFollowUp: (type, followUp) => followUps.add(type, followUp),
    addTest: (type, test) => trials.add(type, test),
    get: (type, at) => reader.get(type, at),
    getAcceptable: async (type, at) => {
      const setting = await reader.getAcceptable(type, at);
      refusals.tell({ key: type.key, ...at }, setting);
      return setting;
    },
    resolve: async <S extends z.ZodObject>(type: SettingsType<S>, body: unknown) => {
      const place = { type, project: null, name: '' };
      return (await resolveGiven({ db: database.db, keyring }, place, body, new Date())) as z.output<S>;
    },
    names: (type, project) => reader.names(type, project),
    watch: (type, listener) => watch.add(type, listener),
    close: () => watch.close(),
  };
}
