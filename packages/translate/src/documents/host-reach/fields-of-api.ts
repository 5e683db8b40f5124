import type { EnvoyApi } from '@flotilla/envoy-api';
import type { FieldShape } from './suspicious.ts';

/** Packages whose messages a document may contain. */
const CONFIGURATION =
  /^(?:envoy\.(?:config\.(?!filter\.)|data\.dns|data\.core\.v3\.TlvsMetadata|extensions|type|watchdog)|xds\.(?:core|type)|udpa\.type|cel\.expr|google\.api\.expr|google\.rpc\.Status$|opentelemetry\.proto\.common)/;

export function isConfiguration(message: string): boolean {
  return CONFIGURATION.test(message);
}

/** Every field of every message of a version that a document may contain. */
export function listFields(api: EnvoyApi): { message: string; field: string; shape: FieldShape }[] {
  return api
    .messages()
    .filter(isConfiguration)
    .flatMap((message) =>
      api.describe(message).fields.map(({ name, value }) => ({
        message,
        field: name,
        shape: { name, kind: value.kind, type: value.type },
      })),
    );
}

/**
 * Messages that Envoy may accept in an Any: those in the version's own list of extensions, and those of extension
 * packages that are not the type of a field.
 */
export function listExtensionMessages(api: EnvoyApi, listed: Iterable<string>): string[] {
  const held = new Set<string>();
  for (const { message, shape } of listFields(api)) {
    if (shape.kind === 'message' && shape.type !== message) held.add(shape.type);
  }
  const roots = api.messages().filter((message) => message.startsWith('envoy.extensions.') && !held.has(message));
  return [...new Set([...roots, ...listed])].toSorted();
}
