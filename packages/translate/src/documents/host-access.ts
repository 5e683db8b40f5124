import {
  type EnvoyApi,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MessageVisit,
  typeNameOfUrl,
  type VisitedField,
} from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import { ALWAYS_ADS } from './ads-sources.ts';
import { COLLECTION_TYPE, MESSAGE } from './collections.ts';
import { isFreeFormType, isOpaqueField } from './free-form.ts';
import { restrictionOfExtension, restrictionOfField, restrictionOfMessage } from './host-reach/decide.ts';
import { FOREIGN_SOURCE, type Restriction, restrict } from './host-reach/reach.ts';
import { restrictionByType } from './host-reach/restricted-messages.ts';
import { isFreeForm } from './references.ts';
import { isFileField, isServiceFile } from './service-files.ts';

/**
 * Finds what gives a document access beyond its service: to its host, the host's network, or the control plane. Tenants
 * are not trusted with those; only owners may use them. Undecided fields (`host-reach/`) count as such. The service's
 * own files are `files/<name>`, relative to its own folder, and are allowed.
 */
export function findHostAccess(api: EnvoyApi, type: string, resource: JsonObject): Violation[] {
  const found = new Map<string, Violation>();
  const add = (path: string, restriction: Restriction) => {
    if (!found.has(path)) found.set(path, { path, rule: 'host_access', message: restriction.reason });
  };
  const ofRoot = ROOTS.has(type) ? undefined : restrictionOfExtension(type);
  if (ofRoot) add('', ofRoot);
  api.walk(type, resource, {
    message: (visit) => {
      if (!isJsonObject(visit.value)) return undefined;
      const restriction = restrictionOfMessage(visit.typeName, visit.value) ?? restrictionOfCarried(api, visit);
      if (restriction) add(visit.path, restriction);
      return undefined;
    },
    field: (visit) => {
      const restriction =
        restrictionOfContent(visit.field, visit.value) ?? restrictionOfValue(visit.field, visit.value);
      if (restriction) add(visit.path, restriction);
      return undefined;
    },
  });
  return [...found.values()];
}

/** Messages that are not extensions: those of the collections, and the one that wraps a filter. */
const ROOTS: ReadonlySet<string> = new Set([...Object.values(COLLECTION_TYPE), MESSAGE.extensionConfig]);

/** The restriction for an Any by its message: Envoy accepts extensions there. */
function restrictionOfContent(field: VisitedField, value: JsonValue): Restriction | undefined {
  if (field.messageType !== 'google.protobuf.Any' || !isJsonObject(value) || typeof value['@type'] !== 'string') {
    return undefined;
  }
  const type = typeNameOfUrl(value['@type']) ?? '';
  if (isFreeFormType(type) && isOpaqueField(field.owner, field.name)) return undefined;
  return restrictionOfExtension(type);
}

const UNKNOWN_CONTENT = restrict('host', 'carries a message that nobody can check');

/**
 * The restriction for a TypedStruct by its message type: the part after the last slash, or all of it. Messages that the
 * walk enters are decided there.
 */
function restrictionOfCarried(api: EnvoyApi, { typeName, value }: MessageVisit): Restriction | undefined {
  if (!TYPED_STRUCTS.has(typeName) || !isJsonObject(value)) return undefined;
  const url = String(value.type_url ?? '');
  const type = url.slice(url.lastIndexOf('/') + 1);
  const isEntered = api.hasMessage(type) && restrictionByType(type) !== undefined;
  return isEntered || !restrictionOfExtension(type) ? undefined : UNKNOWN_CONTENT;
}
const TYPED_STRUCTS: ReadonlySet<string> = new Set(['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct']);

/** Formatters that insert the proxy's environment or the content of a file. */
const FORMATTER = restrict('host', 'reads the environment or a file of the host');
const HOST_FORMATTER = /%(?:ENVIRONMENT|FILE_CONTENT)\(/;
/** Its parameter is JSON that names other formatters, possibly with escapes. */
const NESTING_FORMATTER = '%COALESCE(';
const NESTED_HOST_FORMATTER = /ENVIRONMENT|FILE_CONTENT|\\/;

function restrictionOfValue(field: VisitedField, value: JsonValue): Restriction | undefined {
  const restriction = restrictionOfField(field, value) ?? restrictionOfSource(field, value);
  if (restriction) return restriction;
  if (isFreeForm(field.messageType)) return hasHostFormatter(value) ? FORMATTER : undefined;
  if (typeof value !== 'string') return undefined;
  if (isFileField(field.owner, field.name)) {
    return isFreeFile(field.owner, value) ? undefined : restrict('host', `names ${quote(value)} on the host`);
  }
  return hasHostFormatter(value) ? FORMATTER : undefined;
}

/** Sources that the translation replaces or removes, so their content has no effect (`expand.ts`). */
const REPLACED_SOURCES: ReadonlySet<string> = new Set([...ALWAYS_ADS, 'envoy.config.route.v3.Vhds.config_source']);

/** Configuration from other sources than the controller is unchecked: clusters on sockets, bodies from files. */
function restrictionOfSource(field: VisitedField, value: JsonValue): Restriction | undefined {
  if (field.messageType !== 'envoy.config.core.v3.ConfigSource' || !isJsonObject(value)) return undefined;
  if (REPLACED_SOURCES.has(`${field.owner}.${field.name}`)) return undefined;
  const isForeign = ['path', 'path_config_source', 'api_config_source'].some((kind) => value[kind] !== undefined);
  return isForeign ? FOREIGN_SOURCE : undefined;
}

/** Also in the free form of a JSON log format, and in bytes, which JSON contains as base64. */
function hasHostFormatter(value: JsonValue): boolean {
  if (typeof value === 'string') {
    return [value, Buffer.from(value, 'base64').toString('latin1')].some(isHostFormat);
  }
  return isJsonObject(value) || Array.isArray(value) ? Object.values(value).some(hasHostFormatter) : false;
}

function isHostFormat(text: string): boolean {
  return HOST_FORMATTER.test(text) || (text.includes(NESTING_FORMATTER) && NESTED_HOST_FORMATTER.test(text));
}

function isFreeFile(owner: string, value: string): boolean {
  const isLog = owner === 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
  return value === '' || isServiceFile(value) || (isLog && (value === '/dev/stdout' || value === '/dev/stderr'));
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
