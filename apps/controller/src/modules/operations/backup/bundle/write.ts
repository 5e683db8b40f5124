import { Buffer } from 'node:buffer';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { joinPrivate, type PrivatePart } from '../../../../platform/json/join-private.ts';
import type { Keyring } from '../../../../platform/keyring/index.ts';
import type { BackupRow } from '../column-cipher.ts';
import type { Section } from '../format/index.ts';
import { streamRows } from '../rows-store.ts';
import type { BackupSection } from '../sections.ts';
import { BUNDLE_SECTIONS } from './manifests.ts';

interface BundleOrder {
  readonly keyring: Keyring;
  /** One for each table that a backup of an installation contains. */
  readonly sections: readonly BackupSection[];
  readonly secretFree: boolean;
}

/** Streams the manifests of the project whose rows the transaction sees, a few hundred rows at a time. */
export function bundleSections(tx: Tx, { keyring, sections, secretFree }: BundleOrder): Section[] {
  return BUNDLE_SECTIONS.map((name) => ({
    name,
    async *rows() {
      const cipher = sections.find(({ table }) => table === name)?.cipher;
      for await (const row of streamRows(tx, name)) {
        const decrypted = secretFree || !cipher ? row : cipher.decrypt(keyring, row);
        const manifest = TO_MANIFEST[name](decrypted, secretFree);
        if (manifest) yield manifest;
      }
    },
  }));
}

/** Returns undefined for a row that is left out. */
type ToManifest = (row: BackupRow, secretFree: boolean) => object | undefined;

const TO_MANIFEST: Readonly<Record<(typeof BUNDLE_SECTIONS)[number], ToManifest>> = {
  documents: ({ collection, name, version, type, description, labels, comments, ...row }, secretFree) => ({
    ...{ collection, name, version, type, description, labels, comments },
    resource: joinPrivate(row.resource as JsonObject, secretFree ? [] : openJson<PrivatePart[]>(row.sealed, [])),
    ...(secretFree && { private: (row.private as readonly { path: string }[]).map(({ path }) => path) }),
  }),
  policies: ({ name, description, text, files }) => {
    const all = files as readonly PolicyFile[];
    const missing = all.filter(({ sealed_base64 }) => sealed_base64 !== undefined).map(({ path }) => path);
    const given = all.flatMap(({ path, open_base64, content_base64 = open_base64 }) =>
      content_base64 === undefined ? [] : [{ path, content_base64 }],
    );
    return { name, description, text, files: given, ...(missing.length > 0 && { secret_files: missing }) };
  },
  services: ({
    name,
    version,
    bootstrap,
    listeners,
    policies,
    shield_threads,
    shield_xff_trusted_hops,
    api_discovery,
  }) => ({
    ...{ name, version, bootstrap, listeners, policies },
    shield: { threads: shield_threads, xff_trusted_hops: shield_xff_trusted_hops },
    api_discovery,
  }),
  // A row of revision 0 was created for its lock and never written.
  settings: ({ key, name, value, revision, sealed }, secretFree) =>
    revision === 0 ? undefined : { key, name, value, secrets: secretFree ? {} : openJson(sealed, {}) },
};

/** Secret files have `open_base64` after decryption, or still `sealed_base64` in a backup without secrets. */
interface PolicyFile {
  readonly path: string;
  readonly content_base64?: string;
  readonly open_base64?: string;
  readonly sealed_base64?: string;
}

function openJson<T>(base64: unknown, otherwise: T): T {
  return base64 === null ? otherwise : (JSON.parse(Buffer.from(String(base64), 'base64').toString()) as T);
}
