import { type EnvoyApi, isJsonObject, isReference, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import { addAccessLog, LOGGED_MESSAGES } from './access-log/access-log.ts';
import type { BuildAllowance } from './build-allowance.ts';
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
import { findRefusals, type PlacedContent } from './host-rights.ts';
import { toAny, toTypeUrl } from './resource-kinds.ts';
import type { DocumentSource, SourceDocument, TranslationError } from './types.ts';

/** Dependencies of an expansion besides documents. Each use is recorded, so that unrelated nodes share the result. */
export interface ExpansionEnvironment {
  readonly filesDir: string;
  readonly shield: ShieldPlacement | undefined;
  readonly isLogged: boolean;
  readonly allowance: BuildAllowance | undefined;
}

/** A requested document; undefined if it did not exist. */
export interface Lookup {
  readonly collection: DocumentCollection;
  readonly name: string;
  readonly document: SourceDocument | undefined;
}

export interface Expansion {
  readonly resource: JsonObject;
  readonly errors: readonly Omit<TranslationError, 'document'>[];
  /** Must not be sent: it uses something that not all of its authors may use. */
  readonly isRefused: boolean;
  /** The documents that replaced references, or should have. */
  readonly lookups: ReadonlyMap<DocumentKey, Lookup>;
  readonly usesFiles: boolean;
  readonly hasConnectionManager: boolean;
  /** Has something that logs requests or connections. */
  readonly hasLog: boolean;
}

/** The same limit as for writes, for documents that were stored before it. */
const EXPANSIONS_MAX = 2000;

/**
 * The message of a document as Envoy gets it: references are replaced by their content, configuration sources set to
 * ADS, file names made absolute, and connection managers protected by the filter. Does not change the document itself.
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
  readonly #placed: PlacedContent[] = [];
  #expansions = 0;
  #usesFiles = false;
  #hasConnectionManager = false;
  #hasLog = false;

  constructor(api: EnvoyApi, source: DocumentSource, environment: ExpansionEnvironment) {
    this.#api = api;
    this.#source = source;
    this.#environment = environment;
  }

  run(document: SourceDocument): Expansion {
    const resource = structuredClone(document.resource);
    // The walk enters inserted content, so references inside references are resolved as well.
    this.#api.walk(document.type, resource, {
      message: ({ path, typeName, value }) => {
        if (isJsonObject(value)) this.#replaceReferences(path, typeName, value);
        return undefined;
      },
    });
    // Runs before our own files and filters are added, for which no document is responsible.
    const refusals = findRefusals(this.#api, document, { resource, placed: this.#placed });
    const listeners: { readonly path: string; readonly name: string }[] = [];
    this.#api.walk(document.type, resource, {
      message: ({ path, typeName, value }) => {
        if (!isJsonObject(value)) return undefined;
        if (typeName === MESSAGE.listener) listeners.push({ path, name: String(value.name ?? '') });
        this.#finish(typeName, value);
        if (LOGGED_MESSAGES.has(typeName)) {
          const listener = listeners.findLast((one) => path.startsWith(one.path))?.name;
          this.#log(typeName, value, listener || document.name);
        }
        return undefined;
      },
    });
    return {
      resource,
      errors: [...this.#errors, ...refusals],
      isRefused: refusals.length > 0,
      lookups: this.#lookups,
      usesFiles: this.#usesFiles,
      hasConnectionManager: this.#hasConnectionManager,
      hasLog: this.#hasLog,
    };
  }

  #finish(typeName: string, value: JsonObject): void {
    this.#setFiles(typeName, value);
    setAdsSources(typeName, value, (name) => this.#source.get('secrets', name) !== undefined);
    if (typeName !== MESSAGE.connectionManager) return;
    this.#hasConnectionManager = true;
    if (this.#environment.shield) guardConnectionManager(value, this.#environment.shield);
  }

  /** In a document without a listener, the log has its name. */
  #log(typeName: string, value: JsonObject, logName: string): void {
    this.#hasLog = true;
    const { isLogged, shield } = this.#environment;
    if (isLogged) addAccessLog(typeName, value, { logName, isFiltered: shield !== undefined });
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

  /** The replacement of a reference; undefined if it cannot be resolved. */
  #resolve(reference: JsonValue, slot: { typeName: string; key: string; where: string }): JsonObject | undefined {
    const key = isReference(reference) ? parseDocumentKey(reference.$ref) : undefined;
    if (!key) return this.#fail(slot.where, 'reference.invalid', 'is no reference to a filter or an extension');
    const id = toDocumentKey(key.collection, key.name);
    const target = this.#source.get(key.collection, key.name);
    const field = this.#fieldOf(slot.typeName, slot.key);
    const slotType = field?.message?.typeName;
    // Only a reference, because the filter's content is sent separately.
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
    this.#environment.allowance?.spend(target.chars);
    this.#placed.push({ path: slot.where, document: target });
    const any = toAny({ type: target.type, resource: structuredClone(target.resource) });
    const isAny = slotType === 'google.protobuf.Any' || (field?.fieldKind === 'map' && field.mapKind === 'message');
    return isAny ? any : { name: key.name, typed_config: any };
  }

  #fail(path: string, rule: string, message: string): undefined {
    this.#errors.push({ path, rule, message });
    return undefined;
  }
}

/** The last filter of a chain has no configuration worth changing without the listener. */
function isTerminal(filter: SourceDocument): boolean {
  return filter.type === 'envoy.extensions.filters.http.router.v3.Router';
}

/** With ECDS, changing the filter drains no listener. A timeout of 0 waits for it instead of starting without. */
function discoveryOf(filter: SourceDocument): JsonObject {
  return {
    config_source: { ...ADS_SOURCE, initial_fetch_timeout: '0s' },
    type_urls: [toTypeUrl(filter.type)],
  };
}

/** In the field itself, in a list or in a map. */
function holdsReference(field: JsonValue | undefined): boolean {
  if (isReference(field)) return true;
  return isJsonObject(field) ? Object.values(field).some(isReference) : Array.isArray(field) && field.some(isReference);
}

function setOrDrop(object: JsonObject, key: string, value: JsonObject | undefined): void {
  if (value === undefined) delete object[key];
  else setOwn(object, key, value);
}
