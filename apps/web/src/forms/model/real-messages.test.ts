import { beforeAll, describe, expect, it } from 'vitest';
import type { MessageDescription } from '../schema-source.ts';
import { loadDescriptions } from '../testing/load-descriptions.ts';
import { checkValue } from './check-value.ts';
import { describeRules } from './describe-rules.ts';
import { FormState } from './form-state.ts';
import { initialValue } from './initial-value.ts';
import { isObject, type Json, ownValue } from './json.ts';
import { keyOf } from './names.ts';
import { itemField } from './rules.ts';
import { summarize } from './summary.ts';
import { layOut } from './visible-fields.ts';
import { kindOf } from './well-known.ts';

const MANAGER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const NOTHING: ReadonlySet<string> = new Set();

/** Returns the rows of a message with their dependencies, as the component passes them. */
function rowsOf(message: MessageDescription, document: Json) {
  const object = isObject(document) ? document : undefined;
  return layOut(message, object, { asked: NOTHING }).entries.map((entry) => {
    const field = entry.kind === 'field' ? entry.field : entry.chosen;
    const value = field && object ? ownValue(object, keyOf(field.name, object)) : undefined;
    return { name: entry.name, depends: [field, value] };
  });
}

describe('every message of Envoy', () => {
  let types: readonly string[] = [];
  let describeType: (type: string) => MessageDescription;

  beforeAll(async () => {
    ({ types, describe: describeType } = await loadDescriptions());
  });

  it('has every field visible, within a visible oneof, or in the search', () => {
    for (const type of types) {
      const message = describeType(type);
      const { entries, rest } = layOut(message, undefined, { asked: NOTHING });
      const reachable = new Set(rest.map(({ field }) => field.name));
      for (const entry of entries) {
        if (entry.kind === 'field') reachable.add(entry.name);
        else for (const arm of entry.arms) reachable.add(arm.name);
      }
      const discouraged = (name: string) =>
        message.fields.some((field) => field.name === name && (field.disallowed || (field.deprecated && field.oneof)));
      const lost = message.fields.filter(({ name }) => !reachable.has(name) && !discouraged(name));
      expect(lost.map(({ name }) => `${type}.${name}`)).toEqual([]);
    }
  });

  it('has valid initial values', () => {
    const asksForMore = ['timestamp', 'field_mask'];
    for (const type of types) {
      for (const field of describeType(type).fields) {
        const one = field.shape === 'singular' ? field : itemField(field);
        if (asksForMore.includes(kindOf(one.value).kind)) continue;
        const bare = { ...one, constraint: undefined };
        expect([`${type}.${field.name}`, checkValue(bare, initialValue(one))]).toEqual([`${type}.${field.name}`, []]);
      }
    }
  });

  it('has rules that can be described and checked', () => {
    for (const type of types) {
      for (const field of describeType(type).fields) {
        const said = describeRules(field);
        expect(said === undefined || !/undefined|NaN|\[object/.test(said)).toBe(true);
        for (const value of ['', 'x', 0, 1.5, true, null, [], {}] satisfies Json[]) {
          for (const problem of checkValue(field, value)) expect(problem).toMatch(/^must /);
        }
      }
    }
  });

  it('reveals no sensitive value in a summary', () => {
    for (const type of types) {
      for (const field of describeType(type).fields.filter(({ sensitive }) => sensitive)) {
        const value = field.value.kind === 'scalar' ? 'private' : { inline_string: 'private' };
        const shaped = field.shape === 'list' ? [value] : field.shape === 'map' ? { a: value } : value;
        // The content of a private key provider is hidden with the provider.
        const holder = field.name === 'typed_config' ? 'private_key_provider' : field.name;
        expect([`${type}.${field.name}`, summarize({ [holder]: shaped })]).toEqual([`${type}.${field.name}`, '']);
      }
    }
  });

  it('keeps all rows but the changed one', () => {
    const message = describeType(MANAGER);
    const state = new FormState({
      stat_prefix: 'in',
      requestTimeout: '1s',
      http_filters: [{ name: 'a' }, { name: 'b' }],
      unknown_thing: { a: 1 },
    });
    const before = rowsOf(message, state.document);
    expect(before.length).toBeGreaterThan(20);
    state.set('http_filters[1].name', 'c', { typing: true });
    const after = rowsOf(message, state.document);
    const changed = after.filter(({ depends }, index) => depends.some((part, i) => part !== before[index]?.depends[i]));
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(changed.map(({ name }) => name)).toEqual(['http_filters']);
    expect(state.document).toEqual({
      stat_prefix: 'in',
      requestTimeout: '1s',
      http_filters: [{ name: 'a' }, { name: 'c' }],
      unknown_thing: { a: 1 },
    });
  });
});
