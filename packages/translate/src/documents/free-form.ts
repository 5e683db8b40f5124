import { type EnvoyApi, type FieldVisit, isJsonObject, type JsonObject, typeNameOfUrl } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';

/**
 * Messages whose type does not describe their content. If Envoy looks an extension up by name, it converts them to the
 * message of that extension, so no check by type sees the result.
 */
const FREE_FORM: ReadonlySet<string> = new Set([
  'google.protobuf.Any',
  'google.protobuf.Struct',
  'google.protobuf.Value',
  'google.protobuf.ListValue',
  'xds.type.v3.TypedStruct',
  'udpa.type.v1.TypedStruct',
]);

export function isFreeFormType(typeName: string): boolean {
  return FREE_FORM.has(typeName);
}

/** Fields whose content Envoy passes on without reading configuration: to metadata, or to the code of a plugin. */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set([
  'envoy.config.core.v3.Metadata.typed_filter_metadata',
  'envoy.extensions.filters.http.set_metadata.v3.Metadata.typed_value',
]);
const PLUGIN_PACKAGE = /^envoy\.extensions\.(?:[a-z_0-9]+\.)*(?:dynamic_modules|golang|wasm)\./;

/** Whether an Any in this field is data for Envoy and not the configuration of an extension. */
export function isOpaqueField(owner: string, field: string): boolean {
  return OPAQUE_FIELDS.has(`${owner}.${field}`) || PLUGIN_PACKAGE.test(owner);
}

/**
 * Finds every Any with a free-form message where Envoy expects a typed one. Rejected for everybody: Envoy never needs
 * it.
 */
export function findFreeForm(api: EnvoyApi, type: string, resource: JsonObject): Violation[] {
  const found: Violation[] = isFreeFormType(type) ? [describe('', type)] : [];
  api.walk(type, resource, {
    field: (visit) => {
      const violation = freeFormAt(visit);
      if (violation) found.push(violation);
      return undefined;
    },
  });
  return found;
}

function freeFormAt(visit: FieldVisit): Violation | undefined {
  const { field, value } = visit;
  if (field.messageType !== 'google.protobuf.Any' || !isJsonObject(value)) return undefined;
  const typeName = typeof value['@type'] === 'string' ? typeNameOfUrl(value['@type']) : undefined;
  if (typeName === undefined || !isFreeFormType(typeName) || isOpaqueField(field.owner, field.name)) return undefined;
  return describe(visit.path, typeName);
}

function describe(path: string, typeName: string): Violation {
  const message = `is ${typeName}, whose content cannot be checked: write the message itself, with its own "@type"`;
  return { path, rule: 'any.free_form', message };
}
