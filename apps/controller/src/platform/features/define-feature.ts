import type { Db, Migrations, Tables } from '@flotilla/db';
import type { Registry } from 'prom-client';
import type { News } from '../events/model.ts';
import type { Route } from '../http/route.ts';
import type { InstallationKeyring } from '../keyring/index.ts';

/**
 * Everything about a feature that others need to know without running it. Guard tests, backups, key rotation, clean-up and the
 * scheduler loop over the manifests; nothing keeps its own list.
 */
export interface Feature {
  /** The folder below `modules`, or `platform/<folder>`. */
  readonly name: string;
  /** Names of the features whose rows this one refers to. Their tables are restored first. */
  readonly after?: readonly string[];
  /** The module creates the routes that need more than this. */
  readonly routes?: (deps: RouteDeps) => readonly Route[];
  /** Registers the metrics that are read from the database. Metrics of a service are registered by the service. */
  readonly measure?: (deps: MetricDeps) => void;
  /** They run with all others in the order of their names (`0047-groups`). A released migration never changes. */
  readonly migrations?: Migrations;
  readonly tables?: { readonly [T in keyof KnownTables]?: TableManifest };
  /** Reads the messages that the feature puts into the outbox as change events, by topic. A malformed message has none. */
  readonly news?: Readonly<Record<string, (payload: unknown) => readonly News[]>>;
  /** The rights of all listeners to change events are checked again after a change of these. */
  readonly listenerRights?: { readonly topics?: readonly string[]; readonly settings?: readonly string[] };
  /** Every type of job that the feature registers. */
  readonly jobs?: readonly JobManifest[];
  /** Rules of `system.tidy`, by the name under which it reports a failure. */
  readonly tidy?: Readonly<Record<string, TidyRule>>;
}

export interface RouteDeps {
  readonly db: Db;
  readonly keyring: InstallationKeyring;
}

export interface MetricDeps {
  readonly db: Db;
  readonly metrics: Registry;
}

/** The tables in which Kysely keeps the migrations that ran have no row type. */
type KnownTables = Tables & Record<'kysely_migration' | 'kysely_migration_lock', object>;

export type TableRow = Readonly<Record<string, unknown>>;

export interface TableManifest {
  /** `policies`: row-level security shows each scope only its rows. `open`: every scope sees all rows, for this reason. */
  readonly scope: 'policies' | { readonly open: string };
  readonly backup: BackupDecision;
  readonly encrypted?: readonly EncryptedColumn[];
}

/** `true`: the backup of an installation holds every row as it is. */
export type BackupDecision = true | BackupRules | { readonly none: string };

export interface BackupRules {
  /** The table is worth nothing without its secrets: a backup without secrets leaves it out. */
  readonly isSecret?: true;
  /** Values that replace those of a row in a backup without secrets. */
  readonly withoutSecrets?: TableRow;
  /** Values that replace those of a restored row, because they were true only of the machine that the backup came from. */
  readonly restored?: TableRow;
}

/**
 * A column that holds encrypted values.
 * bytes   the column is one value
 * secret  JSON with the value in its member `sealed`
 * files   JSON, a list of files; the secret ones have the member `sealed_base64`
 */
export interface EncryptedColumn {
  readonly column: string;
  readonly kind: 'bytes' | 'secret' | 'files';
  readonly primaryKey: readonly string[];
  /** Columns outside the primary key that `context` reads. */
  readonly needs?: readonly string[];
  /** The context of the value: it can only be decrypted there. A change makes stored values unreadable. */
  context(row: TableRow, file: string): string;
}

export interface JobManifest {
  readonly type: string;
  /** The program creates this schedule once; an owner may change it. */
  readonly schedule?: { readonly name: string; readonly cron: string };
}

/** Deletes rows that are no longer needed. */
export type TidyRule = (db: Db, now: Date) => Promise<void>;

export function defineFeature(feature: Feature): Feature {
  return feature;
}
