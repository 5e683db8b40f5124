import { create, createFileRegistry, createRegistry } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import { createEnvoyApi, type EnvoyApi, loadEnvoyApi, reportedExtensions } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { KNOWN_FIELDS_VERSIONS, SUSPICIOUS_FIELDS } from '../../gen/known-fields.ts';
import { findHostAccess } from '../host-access.ts';
import { findUndecidedExtensions, findUndecidedFields, isDecidedField } from './coverage.ts';
import { FREE_EXTENSIONS } from './free-extensions.ts';
import { FREE_FIELDS } from './free-fields.ts';
import { isKnownField, listKnownFields } from './known-fields.ts';
import { RESTRICTED_FIELDS } from './restricted-fields.ts';
import { listRestrictedMessages } from './restricted-messages.ts';
import { FIELD_RULES, MESSAGE_RULES, RULED_MEMBERS } from './rules.ts';

/** One version of each served line. */
const VERSIONS = ['1.36.4', '1.37.0', '1.38.3', '1.39.3', '1.40.0'];

function split(name: string): [message: string, field: string] {
  const at = name.lastIndexOf('.');
  return [name.slice(0, at), name.slice(at + 1)];
}

describe('the table of host access, for every served version', () => {
  test('was created from one version of each line', () => {
    expect(KNOWN_FIELDS_VERSIONS).toEqual(VERSIONS);
  });

  test('decides every field that looks as if it led out of the document', () => {
    expect(SUSPICIOUS_FIELDS.length).toBeGreaterThan(400);
    expect(SUSPICIOUS_FIELDS.filter((name) => !isDecidedField(...split(name)))).toEqual([]);
  });

  test.each(VERSIONS)('decides about every extension that Envoy %s reports', (version) => {
    const types = (reportedExtensions(version) ?? []).flatMap((entry) => entry.types);
    expect(types.length).toBeGreaterThan(300);
    expect(findUndecidedExtensions(types)).toEqual([]);
  });

  test('lists no field twice, and none that no version has', () => {
    const restricted = new Set([...RESTRICTED_FIELDS.keys(), ...FIELD_RULES.keys(), ...RULED_MEMBERS]);
    expect([...FREE_FIELDS].filter((name) => restricted.has(name))).toEqual([]);
    const gone = [...restricted, ...FREE_FIELDS].filter((name) => !isKnownField(...split(name)));
    expect(gone).toEqual([]);
  });

  test('lists no message twice, and none that no version has', () => {
    const restricted = listRestrictedMessages();
    expect(restricted.filter((type) => FREE_EXTENSIONS.has(type))).toEqual([]);
    const known = new Set(listKnownFields().map(({ message }) => message));
    const empty = new Set(
      VERSIONS.flatMap((version) => reportedExtensions(version) ?? []).flatMap(({ types }) => types),
    );
    const named = [...restricted, ...MESSAGE_RULES.keys()].filter((type) => !known.has(type) && !empty.has(type));
    expect(named).toEqual([]);
  });
});

describe('an Envoy with undecided fields and extensions', () => {
  let served: EnvoyApi;
  let next: EnvoyApi;
  beforeAll(async () => {
    served = await loadEnvoyApi({ version: '1.39.3' });
    next = addNews(served);
  });

  test('is reported with each extension, each locating field and each source of configuration', () => {
    expect(findUndecidedFields(next)).toEqual([
      'envoy.config.core.v3.Brand.enabled',
      'envoy.config.core.v3.Brand.foo_locator',
      'envoy.config.core.v3.Brand.source',
      'envoy.config.core.v3.Brand.typed_config',
    ]);
    expect(findUndecidedExtensions(['envoy.extensions.filters.http.brand_new.v3.BrandNew'])).toEqual([
      'envoy.extensions.filters.http.brand_new.v3.BrandNew',
    ]);
  });

  test('keeps them from tenants while it runs, whatever their names', () => {
    const BRAND = 'envoy.config.core.v3.Brand';
    const carrier = (content: object) => ({ typed_config: content });
    const extension = (type: string) => carrier({ '@type': `type.googleapis.com/${type}` });
    const CARRIER = 'envoy.config.core.v3.TypedExtensionConfig';
    const pathsOf = (type: string, resource: object) =>
      findHostAccess(next, type, resource as never).map(({ path }) => path);
    expect(pathsOf(CARRIER, extension('envoy.extensions.filters.http.brand_new.v3.BrandNew'))).toEqual([
      'typed_config',
    ]);
    expect(pathsOf(CARRIER, extension('envoy.extensions.filters.http.router.v3.Router'))).toEqual([]);
    expect(pathsOf('envoy.extensions.filters.http.brand_new.v3.BrandNew', {})).toEqual(['']);
    expect(pathsOf(BRAND, { foo_locator: 'x', enabled: true, source: { ads: {} } })).toEqual([
      '',
      'foo_locator',
      'enabled',
      'source',
    ]);
  });
});

/** The same version with two more files: a message with new fields, and an extension. */
function addNews(api: EnvoyApi): EnvoyApi {
  const files = new Map([...api.registry].map(({ file }) => [file.proto.name, file]));
  const field = (name: string, number: number, rest: object) => ({ name, number, label: Label.OPTIONAL, ...rest });
  const brand = create(FileDescriptorProtoSchema, {
    name: 'envoy/config/core/v3/brand.proto',
    package: 'envoy.config.core.v3',
    syntax: 'proto3',
    dependency: ['google/protobuf/any.proto', 'envoy/config/core/v3/config_source.proto'],
    messageType: [
      {
        name: 'Brand',
        field: [
          field('foo_locator', 1, { type: Type.STRING }),
          field('enabled', 2, { type: Type.BOOL }),
          field('source', 3, { type: Type.MESSAGE, typeName: '.envoy.config.core.v3.ConfigSource' }),
          field('typed_config', 4, { type: Type.MESSAGE, typeName: '.google.protobuf.Any' }),
        ],
      },
    ],
  });
  const extension = create(FileDescriptorProtoSchema, {
    name: 'envoy/extensions/filters/http/brand_new/v3/brand_new.proto',
    package: 'envoy.extensions.filters.http.brand_new.v3',
    syntax: 'proto3',
    messageType: [{ name: 'BrandNew' }],
  });
  const news = [brand, extension].map((proto) => createFileRegistry(proto, (name) => files.get(name)));
  const registry = createRegistry(...api.registry, ...news.flatMap((of) => [...of]));
  return createEnvoyApi({ version: '1.41.0', source: 'binary', registry });
}
