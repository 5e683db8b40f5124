import { type EnvoyApi, isJsonObject, isReference, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import { ADS_SOURCE, setAdsSources } from './documents/ads-sources.ts';
import {
  type DocumentCollection,
  type DocumentKey,
  MESSAGE,
  parseDocumentKey,
  toDocumentKey,
} from './documents/collections.ts';
import { isFreeForm } from './documents/references.ts';
import { isFileField, isServiceFile } from './documents/service-files.ts';
import { guardConnectionManager, type ShieldPlacement } from './guard/connection-manager.ts';
import { toTypeUrl } from './resource-kinds.ts';
import type { DocumentSource, SourceDocument, TranslationError } from './types.ts';

/** What an expansion may depend on besides documents. Each use is noted, so that unrelated nodes share the result. */
export interface ExpansionEnvironment {
  readonly filesDir: string;
  readonly shield: ShieldPlacement | undefined;
}

/** A document that was asked for; undefined where there was none. */
export interface Lookup {
  readonly collection: DocumentCollection;
  readonly name: string;
  readonly document: SourceDocument | undefined;
}

export interface Expansion {
  readonly resource: JsonObject;
  readonly errors: readonly Omit<TranslationError, 'document'>[];
  /** What was put in place of references, or should have been. */
  readonly lookups: ReadonlyMap<DocumentKey, Lookup>;
  readonly usesFiles: boolean;
  readonly hasConnectionManager: boolean;
}

/** The same bound as at the write; a second line of defence for documents that were stored before it. */
const EXPANSIONS_MAX = 2000;

/**
 * A document's message as Envoy gets it: references replaced by what they stand for, sources of configuration set to ADS,
 * file names made absolute, and connection managers guarded. The document itself is not changed.
 */
export function expandDocument(
  api: EnvoyApi,
  source: DocumentSource,
  document: SourceDocument,
  environment: ExpansionEnvironment,
): Expansion {
  return new Expander(api, source, environment).run(document);
}

class Expander {
  readonly #api: EnvoyApi;
  readonly #source: DocumentSource;
  readonly #environment: ExpansionEnvironment;
  readonly #errors: Omit<TranslationError, 'document'>[] = [];
  readonly #lookups = new Map<DocumentKey, Lookup>();
  #expansions = 0;
  #usesFiles = false;
  #hasConnectionManager = false;

  constructor(api: EnvoyApi, source: DocumentSource, environment: ExpansionEnvironment) {
    this.#api = api;
    this.#source = source;
    this.#environment = environment;
  }

  run(document: SourceDocument): Expansion {
    const resource = structuredClone(document.resource);
    // The walk enters what was just put in place, so references inside references are met in their turn.
    this.#api.walk(document.type, resource, {
      message: ({ path, typeName, value }) => {
        if (isJsonObject(value)) this.#message(path, typeName, value);
        return undefined;
      },
    });
    return {
      resource,
      errors: this.#errors,
      lookups: this.#lookups,
      usesFiles: this.#usesFiles,
      hasConnectionManager: this.#hasConnectionManager,
    };
  }

  #message(path: string, typeName: string, value: JsonObject): void {
    this.#replaceReferences(path, typeName, value);
    this.#setFiles(typeName, value);
    setAdsSources(typeName, value, (name) => this.#source.get('secrets', name) !== undefined);
    if (typeName !== MESSAGE.connectionManager) return;
    this.#hasConnectionManager = true;
    if (this.#environment.shield) guardConnectionManager(value, this.#environment.shield);
  }

  #setFiles(typeName: string, value: JsonObject): void {
    for (const [key, field] of Object.entries(value)) {
      if (typeof field !== 'string' || !isServiceFile(field) || !isFileField(typeName, key)) continue;
      this.#usesFiles = true;
      value[key] = `${this.#environment.filesDir}/${field.slice('files/'.length)}`;
    }
  }

  #replaceReferences(path: string, typeName: string, value: JsonObject): void {
    for (const [key, field] of Object.entries(value)) {
      if (!holdsReference(field) || isFreeForm(this.#fieldOf(typeName, key)?.message?.typeName)) continue;
      const at = path === '' ? key : `${path}.${key}`;
      const replace = (found: JsonValue, where: string) => this.#resolve(found, { typeName, key, where });
      if (isReference(field)) setOrDrop(value, key, replace(field, at));
      else if (Array.isArray(field) && field.some(isReference)) {
        value[key] = field
          .map((item, i) => (isReference(item) ? replace(item, `${at}[${i}]`) : item))
          .filter((item) => item !== undefined);
      } else if (isJsonObject(field) && this.#isMap(typeName, key)) {
        for (const [name, item] of Object.entries(field)) {
          if (isReference(item)) setOrDrop(field, name, replace(item, `${at}[${JSON.stringify(name)}]`));
        }
      }
    }
  }

  #isMap(typeName: string, key: string): boolean {
    return this.#fieldOf(typeName, key)?.fieldKind === 'map';
  }

  #fieldOf(typeName: string, key: string) {
    return this.#api.registry.getMessage(typeName)?.fields.find(({ name }) => name === key);
  }

  /** What stands in the place of a reference; undefined when it cannot be resolved. */
  #resolve(reference: JsonValue, slot: { typeName: string; key: string; where: string }): JsonObject | undefined {
    const key = isReference(reference) ? parseDocumentKey(reference.$ref) : undefined;
    if (!key) return this.#fail(slot.where, 'reference.invalid', 'is no reference to a filter or an extension');
    const id = toDocumentKey(key.collection, key.name);
    const target = this.#source.get(key.collection, key.name);
    const field = this.#fieldOf(slot.typeName, slot.key);
    const slotType = field?.message?.typeName;
    // The reference alone, without the filter's content: that travels by itself.
    if (
      target &&
      slotType === MESSAGE.httpFilter &&
      slot.typeName === MESSAGE.connectionManager &&
      !isTerminal(target)
    ) {
      return { name: key.name, config_discovery: discoveryOf(target) };
    }
    this.#lookups.set(id, { ...key, document: target });
    if (!target) return this.#fail(slot.where, 'reference.missing', `${id} does not exist`);
    this.#expansions += 1;
    if (this.#expansions > EXPANSIONS_MAX)
      return this.#fail(slot.where, 'reference.size', 'the references grow too large');
    const any = { '@type': toTypeUrl(target.type), ...structuredClone(target.resource) };
    const isAny = slotType === 'google.protobuf.Any' || (field?.fieldKind === 'map' && field.mapKind === 'message');
    return isAny ? any : { name: key.name, typed_config: any };
  }

  #fail(path: string, rule: string, message: string): undefined {
    this.#errors.push({ path, rule, message });
    return undefined;
  }
}

/** The last filter of a chain carries no configuration that is worth changing without the listener. */
function isTerminal(filter: SourceDocument): boolean {
  return filter.type === 'envoy.extensions.filters.http.router.v3.Router';
}

/** ECDS: changing the filter drains no listener. A timeout of 0 waits for it instead of starting without. */
function discoveryOf(filter: SourceDocument): JsonObject {
  return {
    config_source: { ...ADS_SOURCE, initial_fetch_timeout: '0s' },
    type_urls: [toTypeUrl(filter.type)],
  };
}

/** In a field itself, in a list or in a map. */
function holdsReference(field: JsonValue | undefined): boolean {
  if (isReference(field)) return true;
  return isJsonObject(field) ? Object.values(field).some(isReference) : Array.isArray(field) && field.some(isReference);
}

function setOrDrop(object: JsonObject, key: string, value: JsonObject | undefined): void {
  if (value === undefined) delete object[key];
  else setOwn(object, key, value);
}
