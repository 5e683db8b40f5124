import { refOf } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type CellProblem, hasObjects, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';
import {
  checksNames,
  hasSecretTypes,
  listOtherSecretKeys,
  readCertificates,
  readTrust,
  SECRET_FIELDS,
  type SecretSource,
} from './tls-secrets.ts';

const text = texts.tls;

/** Side of the connection: a listener is the server, a cluster is the client. */
export type TlsSide = 'downstream' | 'upstream';

/** Names of the versions in the document, by their numbers. The first one is the default. */
export const TLS_VERSIONS = ['TLS_AUTO', 'TLSv1_0', 'TLSv1_1', 'TLSv1_2', 'TLSv1_3'] as const;

const FIELDS = {
  sni: ['sni'],
  alpn: ['common_tls_context', 'alpn_protocols'],
  minimum: ['common_tls_context', 'tls_params', 'tls_minimum_protocol_version'],
  isRequired: ['require_client_certificate'],
} as const;
const MAXIMUM = ['common_tls_context', 'tls_params', 'tls_maximum_protocol_version'];
/** The fields of the context, of its common part and of the parameters that the editor of each side shows. */
const SHOWN = {
  downstream: {
    own: ['require_client_certificate'],
    common: ['alpn_protocols'],
    params: ['tls_minimum_protocol_version'],
  },
  upstream: { own: ['sni'], common: [], params: [] },
} as const;
const SNI_BYTES_MAX = 255;
const PROTOCOL_BYTES_MAX = 255;
const SEPARATOR = /[\s,]+/;

export type TlsCell = 'certificates' | 'trust' | 'isRequired' | 'minimum' | 'alpn' | 'sni';

export interface TlsSettings {
  readonly certificates: SecretSource;
  readonly trust: SecretSource;
  /** Whether a client must have a certificate. */
  readonly isRequired: boolean;
  /** One of `TLS_VERSIONS`, or another text of the document. */
  readonly minimum: string;
  readonly alpn: readonly string[];
  readonly sni: string;
  /** Settings that the editor does not show. */
  readonly others: readonly string[];
  readonly problems: readonly CellProblem<TlsCell>[];
  /** Consequences of the settings that are no errors. */
  readonly hints: readonly CellProblem<TlsCell>[];
}

export type Tls =
  | { readonly isSimple: true; readonly settings: TlsSettings }
  | { readonly isSimple: false; readonly reason: string };

/** Reads a `DownstreamTlsContext` or `UpstreamTlsContext`. */
export function readTls(value: Json | undefined, side: TlsSide): Tls {
  const context = value ?? {};
  if (!isObject(context)) return { isSimple: false, reason: text.noObject };
  if (refOf(context) !== undefined || refOf(readMember(context, ['common_tls_context'])) !== undefined)
    return { isSimple: false, reason: text.reference };
  if (!hasTypes(context)) return { isSimple: false, reason: text.wrongType };
  const alpn = readMember(context, FIELDS.alpn);
  const protocols = isList(alpn) ? alpn.map(String) : [];
  if (protocols.some((protocol) => protocol === '' || SEPARATOR.test(protocol)))
    return { isSimple: false, reason: text.protocolForm };
  const sni = readMember(context, FIELDS.sni);
  const settings = {
    certificates: readCertificates(context),
    trust: readTrust(context),
    isRequired: readMember(context, FIELDS.isRequired) === true,
    minimum: readVersion(context, FIELDS.minimum),
    alpn: protocols,
    sni: typeof sni === 'string' ? sni : '',
    others: listOthers(context, side),
  };
  const problems = [...findSecretProblems(settings), ...findProblems(settings, side, readVersion(context, MAXIMUM))];
  return {
    isSimple: true,
    settings: { ...settings, problems, hints: findHints(settings, side, checksNames(context)) },
  };
}

export function writeSni(context: JsonObject, sni: string): JsonObject {
  return writeMember(context, FIELDS.sni, sni === '' ? undefined : sni);
}

export function writeRequired(context: JsonObject, isRequired: boolean): JsonObject {
  return writeMember(context, FIELDS.isRequired, isRequired ? true : undefined);
}

/** The default is not written. */
export function writeMinimum(context: JsonObject, version: string): JsonObject {
  return writeMember(context, FIELDS.minimum, version === TLS_VERSIONS[0] ? undefined : version);
}

/** The protocols that are shown already change nothing. */
export function writeAlpn(context: JsonObject, protocols: readonly string[]): JsonObject {
  const before = readMember(context, FIELDS.alpn);
  if (isList(before) && before.join() === protocols.join()) return context;
  return writeMember(context, FIELDS.alpn, protocols.length === 0 ? undefined : protocols);
}

/** Splits protocols at spaces and commas. */
export function parseProtocols(text: string): string[] {
  return text.split(SEPARATOR).filter((protocol) => protocol !== '');
}

function hasTypes(context: JsonObject): boolean {
  const alpn = readMember(context, FIELDS.alpn);
  const isText = (path: readonly string[]) => ['string', 'undefined'].includes(typeof readMember(context, path));
  const isVersion = (path: readonly string[]) => isText(path) || typeof readMember(context, path) === 'number';
  return (
    hasObjects(context, ['common_tls_context', 'tls_params']) &&
    hasSecretTypes(context) &&
    isText(FIELDS.sni) &&
    isVersion(FIELDS.minimum) &&
    isVersion(MAXIMUM) &&
    ['boolean', 'undefined'].includes(typeof readMember(context, FIELDS.isRequired)) &&
    (alpn === undefined || (isList(alpn) && alpn.every((protocol) => typeof protocol === 'string')))
  );
}

function readVersion(context: JsonObject, path: readonly string[]): string {
  const value = readMember(context, path) ?? 0;
  return typeof value === 'number' ? (TLS_VERSIONS[value] ?? String(value)) : String(value);
}

function listOthers(context: JsonObject, side: TlsSide): string[] {
  const common = readMember(context, ['common_tls_context']);
  const { own, common: shared, params } = SHOWN[side];
  return [
    ...listOtherKeys(context, ['@type', 'common_tls_context', ...own]),
    ...listOtherKeys(common, [...SECRET_FIELDS, ...shared, 'tls_params']),
    ...listOtherKeys(readMember(common, ['tls_params']), params),
    ...listOtherSecretKeys(context),
  ];
}

type Facts = Omit<TlsSettings, 'problems' | 'hints'>;

function findSecretProblems({ certificates, trust }: Facts): CellProblem<TlsCell>[] {
  return (['certificates', 'trust'] as const).flatMap((cell) => {
    const source = { certificates, trust }[cell];
    const names = source.kind === 'stored' ? source.names : [];
    if (names.includes('')) return [{ cell, message: text.noSecretName }];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined ? [] : [{ cell, message: text.secretTwice(twice) }];
  });
}

function findProblems(facts: Facts, side: TlsSide, maximum: string): CellProblem<TlsCell>[] {
  const problems: CellProblem<TlsCell>[] = [];
  if (side === 'downstream') {
    if (isEmpty(facts.certificates)) problems.push({ cell: 'certificates', message: text.noCertificate });
    if (facts.isRequired && isEmpty(facts.trust)) problems.push({ cell: 'trust', message: text.anyClient });
    if (facts.alpn.some((protocol) => byteLength(protocol) > PROTOCOL_BYTES_MAX))
      problems.push({ cell: 'alpn', message: text.protocolLength(PROTOCOL_BYTES_MAX) });
    const max = versionIndex(maximum);
    if (max > 0 && versionIndex(facts.minimum) > max) problems.push({ cell: 'minimum', message: text.newest(maximum) });
  } else {
    if (byteLength(facts.sni) > SNI_BYTES_MAX) problems.push({ cell: 'sni', message: text.sniLength(SNI_BYTES_MAX) });
    if (/\s/.test(facts.sni)) problems.push({ cell: 'sni', message: text.sniSpaces });
  }
  return problems;
}

function findHints(facts: Facts, side: TlsSide, isNameChecked: boolean): CellProblem<TlsCell>[] {
  const lacksTrust = isEmpty(facts.trust);
  if (side === 'downstream')
    return lacksTrust || facts.isRequired ? [] : [{ cell: 'isRequired', message: text.clientsWithout }];
  if (lacksTrust) return [{ cell: 'trust', message: text.notVerified }];
  return facts.trust.kind === 'kept' || isNameChecked ? [] : [{ cell: 'trust', message: text.anyName }];
}

/** Negative for an unknown version. */
function versionIndex(version: string): number {
  return TLS_VERSIONS.findIndex((known) => known.valueOf() === version);
}

function isEmpty(source: SecretSource): boolean {
  return source.kind === 'stored' && source.names.length === 0;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
