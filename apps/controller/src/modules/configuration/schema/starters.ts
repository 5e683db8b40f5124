import type { StarterRecord } from '@flotilla/contract';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { COLLECTION_TYPE, MESSAGE, toNormalForm } from '@flotilla/translate';
import { ask, type Starter } from './starter.ts';
import { CLUSTER_STARTERS } from './starters-clusters.ts';
import { EXTENSION_STARTERS } from './starters-extensions.ts';
import { LISTENER_STARTERS } from './starters-listeners.ts';

const held = new WeakMap<EnvoyApi, readonly StarterRecord[]>();

/** The starter documents for this version: only those whose messages it has and that pass its checks. */
export function listStarters(api: EnvoyApi): readonly StarterRecord[] {
  const known = held.get(api);
  if (known) return known;
  const starters = [...LISTENER_STARTERS, ...CLUSTER_STARTERS, ...EXTENSION_STARTERS]
    .map(toRecord)
    .filter(({ type, resource }) => isTaken(api, type, resource as JsonObject));
  held.set(api, starters);
  return starters;
}

function toRecord(starter: Starter): StarterRecord {
  const { id, title, description, collection, name, resource } = starter;
  const type = COLLECTION_TYPE[collection] ?? starter.type ?? MESSAGE.extensionConfig;
  const questions = [ask('name', 'Name', ...(starter.namedAt ?? [])), ...(starter.questions ?? [])];
  return { id, title, description, collection, type, name, resource, questions };
}

function isTaken(api: EnvoyApi, type: string, resource: JsonObject): boolean {
  if (!api.hasMessage(type)) return false;
  const { errors } = api.check(type, toNormalForm(api, type, resource), { allowRefs: true });
  return errors.length === 0;
}
