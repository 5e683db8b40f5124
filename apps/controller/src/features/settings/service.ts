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
  /** As it is at this moment in the database; defaults where nothing was written. Throws for a named one that is not there. */
  get<S extends z.ZodObject>(
    type: SettingsType<S>,
    at?: { readonly project?: string; readonly name?: string },
  ): Promise<ReadSetting<S>>;
  /**
   * The same, where nobody may be kept out by what a later version refuses, or by a secret that does not open: what holds then is
   * no looser than what was stored, and what would send elsewhere is off. The log tells of it, once for each write.
   */
  getAcceptable<S extends z.ZodObject>(
    type: SettingsType<S>,
    at?: { readonly project?: string; readonly name?: string },
  ): Promise<AcceptableSetting<S>>;
  /** Of the installation, of a kind of which there may be many: what there is, by name. */
  names(type: SettingsType): Promise<string[]>;
  /**
   * Of a document of the installation: tells of the present value before it resolves, then of every change at any
   * controller, within a second of its commit (5 s where notifications are lost). Values come in their order.
   */
  watch<S extends z.ZodObject>(type: SettingsType<S>, listener: (value: z.output<S>) => void): Promise<Closable>;
  /** A document of the installation as it would be read after `body` was stored; without one as it is. Throws what storing it would. */
  resolve<S extends z.ZodObject>(type: SettingsType<S>, body: unknown): Promise<z.output<S>>;
  /** Makes `/test` of the kind work: whoever uses the documents knows how one is tried. */
  addTest<S extends z.ZodObject>(type: SettingsType<S>, test: SettingTest<S>): void;
  readonly trials: SettingTrials;
  /** Makes whoever changes a document of the kind say that they mean what it would do to others. */
  addGuard<S extends z.ZodObject>(type: SettingsType<S>, guard: SettingGuard<S>): void;
  readonly guards: SettingGuards;
  /** Does in the transaction of a change what follows from it. */
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
    names: (type) => reader.names(type),
    watch: (type, listener) => watch.add(type, listener),
    close: () => watch.close(),
  };
}
