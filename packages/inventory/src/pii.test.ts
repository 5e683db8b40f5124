import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categorizePath } from './categories.ts';
import { isIbanValid, isLuhnValid } from './checksums.ts';
import { findPii } from './pii.ts';

describe('findPii', () => {
  it.each([
    ['ada@example.com', '', 'email'],
    ['+49 170 1234567', '', 'phone'],
    ['(212) 555-0100', '', 'phone'],
    ['05301234567', 'customerPhone', 'phone'],
    ['219-09-1234', '', 'ssn'],
    ['219091234', 'ssn', 'ssn'],
    ['4111-1111-1111-1111', '', 'credit_card'],
    ['378282246310005', 'card_number', 'credit_card'],
    ['DE89370400440532013000', '', 'iban'],
    ['GB82 WEST 1234 5698 7654 32', '', 'iban'],
  ])('recognises %j (parameter %j) as %s', (value, name, category) => {
    expect(findPii(value, { name })).toEqual([category]);
  });

  it.each([
    ['logo@2x.png', ''],
    ['svc@project.iam.gserviceaccount.com', ''],
    ['4111111111111111', 'order_id'],
    ['4111-1111-1111-1112', ''],
    ['4111 1111-1111-1111', ''],
    ['0000-0000-0000-0000', ''],
    ['000-12-3456', ''],
    ['078-05-1120', ''],
    ['123456789', 'id'],
    ['2026-11-28', ''],
    ['192.0.2.10', ''],
    ['DE89370400440532013001', 'iban'],
    ['DE8937040044053201300', 'iban'],
    ['+52.5200', 'lat'],
    ['a..b@example.com', ''],
    ['ada.@example.com', ''],
  ])('finds nothing in %j (parameter %j)', (value, name) => {
    expect(findPii(value, { name })).toEqual([]);
  });

  it('answers for any text of any length', () => {
    for (const hostile of [
      '@'.repeat(70_000),
      `${'a.'.repeat(150)}@`,
      '1 '.repeat(160),
      `+1${'(1)'.repeat(100)}`,
      `a@${'a-'.repeat(150)}`,
    ])
      findPii(hostile, { name: 'phone' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (value, name) => Array.isArray(findPii(value, { name }))),
    );
  });
});

describe('checksums', () => {
  it('of cards and IBANs find every change of a single digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const change = (text: string): string =>
          text.slice(0, at) + ((Number(text[at]) + by) % 10) + text.slice(at + 1);
        expect(isLuhnValid(change('4111111111111111'))).toBe(false);
        expect(isIbanValid(`DE89${change('370400440532013000')}`)).toBe(false);
      }),
    );
  });
});

describe('categorizePath', () => {
  it.each([
    ['/api/admin/users', ['admin_endpoint']],
    ['/oauth2/token', ['auth_endpoint']],
    ['/users/{id}/password', ['auth_endpoint', 'account_management']],
    ['/users/{uuid}/email', ['account_management']],
    ['/shops/{id}/checkout', ['payment_endpoint']],
    ['/adminDashboard/bulkExport', ['admin_endpoint', 'data_export']],
    ['/swagger/index.html', ['api_docs']],
    ['/.git/config', ['metadata_leak']],
    ['/server-status', ['metadata_leak']],
    ['/config', []],
    ['/tokenizer/badminton', []],
    ['/items/{token}', []],
  ])('gives %j the categories %j', (path, categories) => {
    expect(categorizePath(path)).toEqual(categories);
  });
});
