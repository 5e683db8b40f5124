import { createHash } from 'node:crypto';
import {
  type FieldDescriptionRecord,
  failDocument,
  type MessageDescriptionRecord,
  SCHEMA_MESSAGES_MAX,
} from '@flotilla/contract';
import {
  type EnvoyApi,
  type FieldDescription,
  fieldDocsUrlOf,
  guideOf,
  type MessageDescription,
  slotOf,
  wellKnownOf,
} from '@flotilla/envoy-api';
import { collectionTakenBy } from '@flotilla/translate';
import { LRUCache } from 'lru-cache';

export interface DescribedMessages {
  readonly body: {
    readonly version: string;
    readonly source: 'binary' | 'package';
    readonly complete: boolean;
    readonly messages: Readonly<Record<string, MessageDescriptionRecord>>;
  };
  /** Digest of the body. */
  readonly etag: string;
}

/** Maximum size of an answer in bytes of JSON. */
const BYTES_MAX = 1024 * 1024;
/** Cached answers per version; the largest take half a megabyte. */
const HELD_MAX = 24;

const held = new WeakMap<EnvoyApi, LRUCache<string, DescribedMessages>>();

/**
 * Describes the message and those that its fields reach within `depth` steps, nearest first. Throws message.unknown.
 */
export function describeMessages(api: EnvoyApi, type: string, depth: number): DescribedMessages {
  if (!api.hasMessage(type)) {
    const reason = api.check(type, {}).errors[0]?.message ?? `Envoy ${api.version} knows no message ${type}`;
    throw failDocument('message.unknown', { reason });
  }
  const known = held.get(api) ?? new LRUCache<string, DescribedMessages>({ max: HELD_MAX });
  held.set(api, known);
  const key = `${depth} ${type}`;
  const described = known.get(key) ?? describe(api, type, depth);
  known.set(key, described);
  return described;
}

function describe(api: EnvoyApi, type: string, depth: number): DescribedMessages {
  const messages: Record<string, MessageDescriptionRecord> = {};
  const hash = createHash('sha256').update(`${api.version} ${api.source}`);
  let bytes = 0;
  let complete = true;
  let level = [type];
  const seen = new Set(level);
  for (let step = 0; step <= depth && complete; step += 1) {
    const next: string[] = [];
    for (const name of level) {
      const message = toMessageRecord(api, api.describe(name));
      const text = JSON.stringify(message);
      bytes += text.length;
      complete = Object.keys(messages).length < SCHEMA_MESSAGES_MAX && bytes <= BYTES_MAX;
      if (!complete) break;
      messages[name] = message;
      hash.update(text);
      for (const field of message.fields) {
        const { value } = field;
        if (value.kind !== 'message' || value.well_known !== undefined || seen.has(value.type)) continue;
        seen.add(value.type);
        next.push(value.type);
      }
    }
    level = next;
  }
  return {
    body: { version: api.version, source: api.source, complete, messages },
    etag: hash.digest('hex').slice(0, 32),
  };
}

function toMessageRecord(api: EnvoyApi, message: MessageDescription): MessageDescriptionRecord {
  const { typeName, docsUrl } = message;
  const guide = guideOf(typeName);
  const order = new Map(Object.keys(guide ?? {}).map((name, i) => [name, i]));
  const fields = message.fields
    .map((field) => toFieldRecord(api, typeName, { field, guide }))
    .toSorted((a, b) => (order.get(a.name) ?? order.size) - (order.get(b.name) ?? order.size));
  const fieldDocsUrl = fieldDocsUrlOf(docsUrl);
  return {
    type_name: typeName,
    docs_url: docsUrl,
    ...(fieldDocsUrl !== undefined && { field_docs_url: fieldDocsUrl }),
    deprecated: message.deprecated,
    sorted: guide !== undefined,
    fields,
    oneofs: message.oneofs.map(({ name, required, fields: names }) => ({ name, required, fields: [...names] })),
  };
}

function toFieldRecord(
  api: EnvoyApi,
  message: string,
  { field, guide }: { field: FieldDescription; guide: Readonly<Record<string, string>> | undefined },
): FieldDescriptionRecord {
  const { name } = field;
  const hint = guide !== undefined && Object.hasOwn(guide, name) ? guide[name] : undefined;
  const slot = slotOf(api, message, name);
  const refersTo = collectionTakenBy(message, name);
  return {
    name,
    number: field.number,
    shape: field.shape,
    value: toValueRecord(field.value),
    ...(field.keyType !== undefined && { key_type: field.keyType }),
    ...(field.oneof !== undefined && { oneof: field.oneof }),
    required: field.required,
    deprecated: field.deprecated,
    disallowed: field.disallowed,
    ...(field.deprecatedSince !== undefined && { deprecated_since: field.deprecatedSince }),
    sensitive: field.sensitive,
    ...(field.constraint !== undefined && { constraint: field.constraint }),
    common: guide === undefined ? !field.deprecated : hint !== undefined || field.required,
    ...(hint !== undefined && { hint }),
    ...(slot !== undefined && { slot }),
    ...(refersTo !== undefined && { refers_to: refersTo }),
  };
}

function toValueRecord(value: FieldDescription['value']): FieldDescriptionRecord['value'] {
  if (value.kind === 'scalar') return value;
  if (value.kind === 'enum') return { ...value, values: value.values.map((one) => ({ ...one })) };
  const form = wellKnownOf(value.type);
  return { kind: 'message', type: value.type, ...(form !== undefined && { well_known: form }) };
}
