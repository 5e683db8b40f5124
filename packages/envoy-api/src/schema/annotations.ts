import {
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  hasOption,
  isMessage,
  type JsonValue,
  type Registry,
  toJson,
} from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import type { FieldOptions } from '@bufbuild/protobuf/wkt';

/**
 * Options in Envoy's files on fields, oneofs, messages and enum values, as plain values. Absent extensions mean absent
 * options.
 */
export class Annotations {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The protoc-gen-validate rules of a field as proto-JSON: `{ "string": { "min_len": "1" } }`. */
  rules(field: DescField): JsonValue | undefined {
    const value = this.#get(field, 'validate.rules');
    if (!isMessage(value)) return undefined;
    const schema = this.#registry.getMessage(value.$typeName);
    return schema ? toJson(schema, value, { useProtoFieldName: true, registry: this.#registry }) : undefined;
  }

  /** `validate.disabled` or `validate.ignored`: no rule of this message or its content is checked. */
  isValidationOff(message: DescMessage): boolean {
    return this.#get(message, 'validate.disabled') === true || this.#get(message, 'validate.ignored') === true;
  }

  isRequired(oneof: DescOneof): boolean {
    return this.#get(oneof, 'validate.required') === true;
  }

  isSensitive(field: DescField): boolean {
    return this.#get(field, 'udpa.annotations.sensitive') === true;
  }

  /** Deprecated fields and values that Envoy rejects unless a runtime key allows them. */
  isDisallowed(target: DescField | DescEnumValue): boolean {
    const name =
      target.kind === 'field'
        ? 'envoy.annotations.disallowed_by_default'
        : 'envoy.annotations.disallowed_by_default_enum';
    return this.#get(target, name) === true;
  }

  /** `1.32`: the release line that deprecated it, if the file says so. */
  deprecatedSince(target: DescField | DescEnumValue): string | undefined {
    const suffix = target.kind === 'field' ? '' : '_enum';
    const value = this.#get(target, `envoy.annotations.deprecated_at_minor_version${suffix}`);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  #get(target: DescField | DescEnumValue | DescMessage | DescOneof, name: string): unknown {
    const extension: DescExtension | undefined = this.#registry.getExtension(name);
    if (!extension) return undefined;
    // The extension fits the target by construction: each name above belongs to one kind of options
    const [on, option] = [target as DescField, extension as GenExtension<FieldOptions, unknown>];
    return hasOption(on, option) ? getOption(on, option) : undefined;
  }
}
