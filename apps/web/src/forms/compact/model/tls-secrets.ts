import { count } from '../../../ui/count.ts';
import { refOf } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { hasObjects, listOtherKeys, readMember, writeMember } from './members.ts';

/** Where a secret comes from: stored documents, by name, or something that only the full form shows. */
export type SecretSource =
  | { readonly kind: 'stored'; readonly names: readonly string[] }
  | { readonly kind: 'kept'; readonly what: string };

const ADS: JsonObject = { ads: {}, resource_api_version: 'V3' };
const COMMON = ['common_tls_context'];
const CERTIFICATES = [...COMMON, 'tls_certificate_sds_secret_configs'];
const COMBINED = [...COMMON, 'combined_validation_context'];
const PLAIN_TRUST = [...COMMON, 'validation_context_sds_secret_config'];
const COMBINED_TRUST = [...COMBINED, 'validation_context_sds_secret_config'];

const CERTIFICATE_SOURCES = [
  'tls_certificate_provider_instance',
  'tls_certificate_certificate_provider',
  'tls_certificate_certificate_provider_instance',
  'custom_tls_certificate_selector',
];
const TRUST_SOURCES = ['validation_context_certificate_provider', 'validation_context_certificate_provider_instance'];

/** Fields of the common context that the editor shows or names. */
export const SECRET_FIELDS = [
  'tls_certificates',
  'tls_certificate_sds_secret_configs',
  'validation_context',
  'validation_context_sds_secret_config',
  'combined_validation_context',
  ...CERTIFICATE_SOURCES,
  ...TRUST_SOURCES,
];

export function readCertificates(context: JsonObject): SecretSource {
  const inline = readMember(context, [...COMMON, 'tls_certificates']);
  if (isList(inline) && inline.length > 0)
    return kept(count(inline.length, 'certificate written in the document', 'certificates written in the document'));
  if (CERTIFICATE_SOURCES.some((field) => readMember(context, [...COMMON, field]) !== undefined))
    return kept('a provider of certificates');
  const items = listOf(readMember(context, CERTIFICATES));
  return items.every(isStored) ? { kind: 'stored', names: items.map(nameOf) } : kept('a secret of another source');
}

export function readTrust(context: JsonObject): SecretSource {
  if (readMember(context, [...COMMON, 'validation_context']) !== undefined)
    return kept('rules written in the document');
  if (TRUST_SOURCES.some((field) => readMember(context, [...COMMON, field]) !== undefined))
    return kept('a provider of authorities');
  const combined = readMember(context, COMBINED);
  const config = readMember(context, combined === undefined ? PLAIN_TRUST : COMBINED_TRUST);
  if (combined !== undefined && config === undefined) return kept('rules written in the document');
  if (config !== undefined && !isStored(config)) return kept('a secret of another source');
  return { kind: 'stored', names: config === undefined ? [] : [nameOf(config)] };
}

/** Sets the name of a certificate; the index after the last one adds it. A single one without a name and other settings is removed. */
export function writeCertificate(context: JsonObject, index: number, name: string): JsonObject {
  const items = listOf(readMember(context, CERTIFICATES));
  const next = withName(items[index], name);
  const isGone = next === undefined && items.length <= 1;
  return setCertificates(context, isGone ? [] : items.toSpliced(index, 1, next ?? withoutName(items[index])));
}

export function addCertificate(context: JsonObject): JsonObject {
  return setCertificates(context, [...listOf(readMember(context, CERTIFICATES)), { sds_config: ADS }]);
}

export function removeCertificate(context: JsonObject, index: number): JsonObject {
  return setCertificates(context, listOf(readMember(context, CERTIFICATES)).toSpliced(index, 1));
}

/** Sets the name of the secret with the authorities, and keeps rules that are combined with it. */
export function writeTrust(context: JsonObject, name: string): JsonObject {
  const isCombined = readMember(context, COMBINED) !== undefined;
  const place = isCombined ? COMBINED_TRUST : PLAIN_TRUST;
  const config = readMember(context, place);
  const next = withName(config, name);
  // Envoy refuses rules without the secret that they are combined with.
  return writeMember(context, place, next ?? (isCombined ? withoutName(config) : undefined));
}

/** Whether the rules check the name in a certificate: otherwise any certificate of the authorities is taken. */
export function checksNames(context: JsonObject): boolean {
  if (readMember(context, ['auto_sni_san_validation']) === true) return true;
  const rules = readMember(context, [...COMBINED, 'default_validation_context']);
  const names = ['match_typed_subject_alt_names', 'match_subject_alt_names'];
  return names.some((field) => listOf(readMember(rules, [field])).length > 0);
}

/** Lists the settings of the secrets that are not shown. */
export function listOtherSecretKeys(context: JsonObject): string[] {
  const configs = [
    ...listOf(readMember(context, CERTIFICATES)),
    readMember(context, PLAIN_TRUST),
    readMember(context, COMBINED_TRUST),
  ];
  return [
    ...configs.flatMap(listOtherConfigKeys),
    ...listOtherKeys(readMember(context, COMBINED), ['validation_context_sds_secret_config']),
  ];
}

/** Whether the values have the types that the editor reads. */
export function hasSecretTypes(context: JsonObject): boolean {
  const lists = [CERTIFICATES, [...COMMON, 'tls_certificates']].map((path) => readMember(context, path));
  const configs = [...lists.flatMap(listOf), readMember(context, PLAIN_TRUST), readMember(context, COMBINED_TRUST)];
  return (
    hasObjects(context, COMBINED) &&
    lists.every((list) => list === undefined || isList(list)) &&
    configs.every((config) => config === undefined || (isObject(config) && refOf(config) === undefined))
  );
}

function kept(what: string): SecretSource {
  return { kind: 'kept', what };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function nameOf(config: Json): string {
  const name = readMember(config, ['name']);
  return typeof name === 'string' ? name : '';
}

/** A name without a source is a stored or a static secret; both are chosen by name. */
function isStored(config: Json): boolean {
  const name = readMember(config, ['name']);
  const source = readMember(config, ['sds_config']);
  const isNamed = name === undefined || typeof name === 'string';
  return isNamed && (source === undefined || readMember(source, ['ads']) !== undefined);
}

/** undefined: nothing is left but the usual source. */
function withName(config: Json | undefined, name: string): JsonObject | undefined {
  const object = isObject(config) ? config : { sds_config: ADS };
  if (name !== '') return Object.hasOwn(object, 'name') ? writeMember(object, ['name'], name) : { name, ...object };
  const source = readMember(object, ['sds_config']);
  const isUsual = source !== undefined && listOtherConfigKeys(object).length === 0;
  return isUsual ? undefined : withoutName(object);
}

function withoutName(config: Json | undefined): JsonObject {
  return writeMember(isObject(config) ? config : { sds_config: ADS }, ['name'], undefined);
}

function listOtherConfigKeys(config: Json | undefined): string[] {
  return [
    ...listOtherKeys(config, ['name', 'sds_config']),
    ...listOtherKeys(readMember(config, ['sds_config']), Object.keys(ADS)),
  ];
}

function setCertificates(context: JsonObject, items: readonly Json[]): JsonObject {
  return writeMember(context, CERTIFICATES, items.length === 0 ? undefined : items);
}
