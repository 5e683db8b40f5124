import { expect, test } from 'vitest';
import type { EnvoyApi } from '../api.ts';
import { isJsonObject } from '../json/object.ts';
import { breakRule, isExempt, listRules } from './breaking-values.ts';

/** Violates each rule in the descriptors once; the check must report that path and rule. */
export function describeConstraints(load: () => Promise<EnvoyApi>, minimumRules: number): void {
  test('a value that violates a rule is reported with its path and rule, for every rule of every field', async () => {
    const api = await load();
    let broken = 0;
    const exempt = new Map<string, number>();
    for (const typeName of api.messages()) {
      const message = api.describe(typeName);
      for (const field of message.fields) {
        for (const leaf of listRules(isJsonObject(field.constraint) ? field.constraint : {})) {
          const attempt = breakRule(message, field, leaf);
          if (isExempt(attempt)) {
            exempt.set(attempt.exempt, (exempt.get(attempt.exempt) ?? 0) + 1);
            continue;
          }
          const found = api.check(typeName, attempt.json).errors.map((error) => `${error.path} ${error.rule}`);
          expect(found, `${typeName}.${field.name} ${leaf.way.join('.')}`).toContain(`${attempt.path} ${attempt.rule}`);
          broken += 1;
        }
      }
    }
    expect(broken).toBeGreaterThan(minimumRules);
    expect([...exempt.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(broken / 5);
  });

  test('a required oneof without a choice is reported', async () => {
    const api = await load();
    let count = 0;
    for (const typeName of api.messages()) {
      for (const oneof of api.describe(typeName).oneofs.filter((candidate) => candidate.required)) {
        const messages = api.check(typeName, {}).errors.filter((error) => error.rule === 'oneof.required');
        expect(messages.map((error) => error.message).join(), typeName).toContain(`(${oneof.name})`);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  test('a missing field is reported if it is described as required', async () => {
    const api = await load();
    for (const typeName of api.messages()) {
      const missing = new Set(api.check(typeName, {}).errors.map((error) => error.path));
      for (const field of api.describe(typeName).fields) {
        expect(missing.has(field.name), `${typeName}.${field.name}`).toBe(field.required);
      }
    }
  });
}
