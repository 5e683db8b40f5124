import * as z from 'zod';
import { ENGINE_NAMES, ENGINE_SPECS } from './engines/index.ts';
import { describeDocument } from './schema.ts';

const blocks = Object.fromEntries(ENGINE_NAMES.map((name) => [name, ENGINE_SPECS[name].schema.optional()]));

/**
 * The document with the contents of engine blocks. It describes documents and does not check them: secrets have
 * `meta({ secret: true })`, and an engine may also be null, which disables an inherited one.
 */
export const wholePolicySchema = describeDocument(z.strictObject(blocks).meta({ title: 'Engines' }));

/** JSON Schema (draft 2020-12) of the document, for editors. Descriptions, defaults and titles come from `meta`. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  const nullable = Object.fromEntries(
    ENGINE_NAMES.map((name) => {
      const { title, description } = ENGINE_SPECS[name].schema.meta() ?? {};
      return [name, ENGINE_SPECS[name].schema.nullable().optional().meta({ title, description })];
    }),
  );
  return describeDocument(z.strictObject(nullable).meta({ title: 'Engines' })).toJSONSchema({
    override: ({ jsonSchema }) => {
      delete jsonSchema.secret;
    },
  });
}
