import { describe, expect, it } from 'vitest';
import { toOperationId } from './operation-id.ts';

const key = { method: 'GET', host: 'shop.example', normalizedPath: '/orders/{id}', operation: '' } as const;

describe('the id of an operation', () => {
  it('never changes', () => {
    expect(toOperationId('p', key)).toBe('43b58c84b6c55b7d');
  });

  it('differs for every part, also if parts run together', () => {
    const ids = [
      toOperationId('p', key),
      toOperationId('q', key),
      toOperationId('p', { ...key, method: 'POST' }),
      toOperationId('p', { ...key, host: 'shop.example/orders', normalizedPath: '/{id}' }),
      toOperationId('p', { ...key, operation: 'list' }),
      toOperationId('p', { ...key, host: 'shop.example","/orders/{id}', normalizedPath: '' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
