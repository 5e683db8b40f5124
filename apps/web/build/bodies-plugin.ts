import type { RouteContract } from '@flotilla/contract';
import type { Plugin } from 'vite';
import * as z from 'zod';
import { type FieldRules, type JsonSchema, toFieldRules } from '../src/ui/form/field-rules.ts';

const ID = 'virtual:bodies';

/** Provides the rules of the fields of every request body, by the ID of the route. zod stays out of the browser. */
export function bodiesPlugin(): Plugin {
  return {
    name: 'flotilla-bodies',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    async load(id) {
      if (id !== `\0${ID}`) return undefined;
      return `export const bodies = ${JSON.stringify(Object.fromEntries(readBodies(await import('@flotilla/contract'))))};`;
    },
  };
}

/** Returns the rules of each body that has fields with rules. */
export function readBodies(contract: Record<string, unknown>): [id: string, rules: FieldRules][] {
  return Object.entries(contract)
    .filter(([name]) => name.endsWith('Routes'))
    .flatMap(([, family]) => Object.values(family as Record<string, RouteContract>))
    .flatMap(({ id, body }): [string, FieldRules][] => (body ? [[id, readRules(body)]] : []))
    .filter(([, rules]) => Object.keys(rules).length > 0);
}

export function readRules(body: z.ZodType): FieldRules {
  const messages = new Map<string, string>();
  const schema = z.toJSONSchema(body, {
    io: 'input',
    unrepresentable: 'any',
    // JSON Schema has no place for the message of a pattern.
    override: ({ zodSchema }) => {
      for (const { _zod: check } of zodSchema._zod.def.checks ?? []) {
        const { pattern, error } = check.def as { pattern?: RegExp; error?: (issue: object) => unknown };
        const message = error?.({});
        if (pattern && typeof message === 'string') messages.set(pattern.source, message);
      }
    },
  });
  return toFieldRules(schema as JsonSchema, messages);
}
