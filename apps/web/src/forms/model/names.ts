import type { FieldDescription, MessageDescription } from '../schema-source.ts';
import { type JsonObject, ownValue } from './json.ts';

const ACRONYMS: ReadonlySet<string> = new Set(
  'ads alpn api ca cds cidr cpu crl dns ecds eds ejs gcp gid grpc hcm http https id ip ipv4 ipv6 jwks jwt kb lb lds lrs mtls mysql nack ocsp oauth2 oidc pid pkcs12 qps quic rbac rds rsa rtds san sds sni spki srds srv ssl svid tcp tls tos ttl udp uds uid uri url uuid vhds vhost waf xds xff http1 http2 http3'.split(
    ' ',
  ),
);

/** Converts `max_request_headers_kb` to `Max request headers KB`. */
export function toLabel(name: string): string {
  const text = name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => (word === 'grpc' ? 'gRPC' : ACRONYMS.has(word) ? word.toUpperCase() : word))
    .join(' ')
    .replace(/\bHTTP([123])\b/, 'HTTP/$1')
    .replace('IPV', 'IPv');
  return text.startsWith('gRPC') ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the key of a field in proto-JSON's camelCase spelling. */
export function toJsonName(name: string): string {
  return name.replace(/_+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase()).replace(/_+$/, '');
}

/** Returns the key of the field in the document, or the field's own name if the document has none. */
export function keyOf(name: string, object: JsonObject | undefined): string {
  if (object === undefined || Object.hasOwn(object, name)) return name;
  const jsonName = toJsonName(name);
  return jsonName !== name && Object.hasOwn(object, jsonName) ? jsonName : name;
}

/** Whether the field has a value: null is proto-JSON's "not set". */
export function isSet(field: FieldDescription, object: JsonObject | undefined): boolean {
  if (object === undefined) return false;
  const value = ownValue(object, keyOf(field.name, object));
  if (value === undefined) return false;
  return value !== null || field.value.type === 'google.protobuf.Value';
}

/** Lists the keys of the object that are not fields of the message, except `@type` of an Any. */
export function listUnknownKeys(message: MessageDescription, object: JsonObject): string[] {
  const known = new Set(['@type']);
  for (const { name } of message.fields) known.add(name).add(toJsonName(name));
  return Object.keys(object).filter((key) => !known.has(key));
}

/** Returns the last part of a full name: `HttpConnectionManager.Tracing`. */
export function shortType(type: string): string {
  const start = type.search(/\.[A-Z]/);
  return start === -1 ? type : type.slice(start + 1);
}
