import { guideOf, loadEnvoyApi, slotOf } from '@flotilla/envoy-api';
import type { FieldDescription, MessageDescription } from '../schema-source.ts';

type WellKnown = Extract<FieldDescription['value'], { kind: 'message' }>['well_known'];

/** Loads real messages as the controller describes them. */
export async function loadDescriptions(): Promise<{
  readonly types: readonly string[];
  describe(type: string): MessageDescription;
}> {
  const api = await loadEnvoyApi({ version: '1.36.2' });
  const describe = (type: string): MessageDescription => {
    const plain = api.describe(type);
    const guide = guideOf(type);
    return {
      type_name: plain.typeName,
      docs_url: plain.docsUrl,
      deprecated: plain.deprecated,
      sorted: guide !== undefined,
      oneofs: plain.oneofs.map((oneof) => ({ ...oneof, fields: [...oneof.fields] })),
      fields: plain.fields.map(
        ({ value, keyType, deprecatedSince, ...field }): FieldDescription => ({
          ...field,
          value:
            value.kind === 'message'
              ? { kind: 'message', type: value.type, well_known: value.wellKnown as WellKnown }
              : value.kind === 'enum'
                ? { ...value, values: [...value.values] }
                : value,
          key_type: keyType,
          deprecated_since: deprecatedSince,
          common: guide ? Object.hasOwn(guide, field.name) : !field.deprecated,
          hint: guide?.[field.name],
          slot: slotOf(api, type, field.name),
        }),
      ),
    };
  };
  return { types: api.messages(), describe };
}
