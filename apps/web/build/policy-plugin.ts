import { policyJsonSchema } from '@flotilla/policy';
import type { Plugin } from 'vite';
import type { JsonSchema } from '../src/editor/policy/json-schema.ts';
import { toMessages } from '../src/editor/policy/to-messages.ts';

const ID = 'virtual:policy';

/** Provides the messages of the policy language. They come from the schema that the filter checks; zod stays out of the browser. */
export function policyPlugin(): Plugin {
  return {
    name: 'flotilla-policy',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) =>
      id === `\0${ID}`
        ? `export const messages = ${JSON.stringify(toMessages(policyJsonSchema() as JsonSchema))};`
        : undefined,
  };
}
