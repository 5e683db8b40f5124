import { isList, isObject, type Json, type JsonObject, ownValue } from './json.ts';
import { shortType } from './names.ts';
import { texts } from './texts.ts';

const words = texts.summary;

const NAMING_KEYS: readonly string[] = [
  'name',
  'stat_prefix',
  'cluster_name',
  'cluster',
  'route_config_name',
  'prefix',
  'path',
  'path_separated_prefix',
  'key',
  'header_name',
  'address',
  'pipe',
  'socket_address',
  'filename',
  'inline_string',
  'exact',
  'suffix',
  'contains',
  'regex',
  'value',
  'endpoint',
  'lb_endpoints',
  'endpoints',
  'virtual_hosts',
  'domains',
  'http_health_check',
  'grpc_health_check',
  'thresholds',
  'priority',
];
/** Fields that Envoy marks as sensitive, which a summary must not reveal. */
const PRIVATE_KEYS: ReadonlySet<string> = new Set([
  'private_key',
  'private_key_provider',
  'password',
  'pkcs12',
  'secret',
  'secret_data',
  'backend_token',
  'users',
  'context_extensions',
  'auth_password',
  'auth_username',
  'downstream_auth_password',
  'downstream_auth_passwords',
  'downstream_auth_username',
  'keys',
]);
const SUMMARY_MAX = 72;
/** A route contains its address about ten levels down; deeper values add nothing. */
const DEPTH_MAX = 12;

/** Returns one line that identifies this value among its siblings; `''` if there is none. */
export function summarize(value: Json | undefined): string {
  const text = describe(value, 0).replace(/\s+/g, ' ').trim();
  return text.length > SUMMARY_MAX ? `${text.slice(0, SUMMARY_MAX - 1)}…` : text;
}

function describe(value: Json | undefined, depth: number): string {
  if (value === undefined || value === null) return '';
  if (isList(value)) return describeList(value, depth);
  if (!isObject(value)) return String(value);
  const ref = ownValue(value, '$ref');
  if (typeof ref === 'string') return ref;
  return depth > DEPTH_MAX ? '' : describeObject(value, depth);
}

function describeList(list: readonly Json[], depth: number): string {
  if (list.length === 0) return '';
  const first = describe(list[0], depth + 1);
  if (list.length === 1) return first;
  if (list.every((item) => typeof item !== 'object')) return list.join(', ');
  return first === '' ? words.items(list.length) : words.andMore(first, list.length - 1);
}

function describeObject(object: JsonObject, depth: number): string {
  const address = describeAddress(object);
  if (address !== undefined) return address;
  const parts: string[] = [];
  const match = ownValue(object, 'match');
  if (isObject(match)) {
    const target = ownValue(object, 'route') ?? ownValue(object, 'redirect') ?? ownValue(object, 'direct_response');
    parts.push([describe(match, depth + 1), describe(target, depth + 1)].filter(Boolean).join(' → '));
  }
  for (const key of NAMING_KEYS) {
    if (parts.length >= 2) break;
    const inner = ownValue(object, key) ?? ownValue(object, camel(key));
    if (inner === undefined || inner === '' || inner === null) continue;
    const text = describe(inner, depth + 1);
    if (text !== '' && !parts.includes(text)) parts.push(text);
  }
  if (parts.length > 0) return parts.join(' · ');
  const type = ownValue(object, '@type');
  if (typeof type === 'string') return shortType(type.slice(type.lastIndexOf('/') + 1));
  return describeFirst(object, depth);
}

/** Describes a value without a name: the first set value, with its key if the value alone says little. */
function describeFirst(object: JsonObject, depth: number): string {
  for (const [key, inner] of Object.entries(object)) {
    if (inner === null || inner === undefined || isPrivate(key)) continue;
    if (typeof inner === 'string') return inner;
    if (typeof inner !== 'object') return `${key} ${String(inner)}`;
    const text = describe(inner, depth + 1);
    return text === '' ? key : text;
  }
  return '';
}

function describeAddress(object: JsonObject): string | undefined {
  const host = ownValue(object, 'address') ?? ownValue(object, 'address_prefix') ?? ownValue(object, 'addressPrefix');
  if (typeof host !== 'string') return undefined;
  const port = ownValue(object, 'port_value') ?? ownValue(object, 'portValue') ?? ownValue(object, 'named_port');
  const length = ownValue(object, 'prefix_len') ?? ownValue(object, 'prefixLen');
  if (length !== undefined) return `${host}/${String(length)}`;
  return port === undefined ? host : `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

function isPrivate(key: string): boolean {
  return PRIVATE_KEYS.has(key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
