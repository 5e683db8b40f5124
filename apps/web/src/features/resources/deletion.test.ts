import { expect, it } from 'vitest';
import { ApiError } from '../../api/index.ts';
import { nameChanged, readUsed } from './deletion.ts';

const refusal = (...errors: object[]) =>
  new ApiError(412, {
    code: 'record.stale',
    message: 'Nothing was changed.',
    error: '',
    request_id: 'r',
    errors,
  } as never);
const stale = (name: string) => ({ path: 'delete[0]', name, version: '1.39.3', code: 'record.stale' });

it('a refusal because of changes names the changed documents', () => {
  const named = nameChanged(refusal(stale('shop'), stale('blog'))) as ApiError;
  expect(named.message).toBe(
    'shop (1.39.3) and blog (1.39.3) have changed since you opened this dialog. Nothing was deleted. Review them and try again.',
  );
  expect(named.requestId).toBe('r');
  expect((nameChanged(refusal(stale('shop'))) as ApiError).message).toMatch(
    /^shop \(1\.39\.3\) has changed since you opened this dialog\./,
  );
});

it.each([
  refusal(stale('shop'), { path: 'delete[1]', name: 'blog', version: '1.39.3', code: 'record.in_use' }),
  refusal(),
  new Error('no answer'),
])('any other refusal is unchanged: %#', (error) => {
  expect(nameChanged(error)).toBe(error);
});

it('each user of a document is listed once, and only if nothing else was refused (screen bug 13)', () => {
  const users = [
    { id: 'r', collection: 'routes', name: 'shop-routes' },
    { id: 'r', collection: 'routes', name: 'shop-routes' },
  ];
  const inUse = { path: 'delete', code: 'record.in_use', name: 'shop', version: '1.39.3', users };
  expect(readUsed(refusal(inUse))).toEqual([{ name: 'shop', version: '1.39.3', users: users.slice(0, 1) }]);
  expect(readUsed(refusal(inUse, stale('blog')))).toBeUndefined();
  expect(readUsed(refusal())).toBeUndefined();
  expect(readUsed(new Error('no answer'))).toBeUndefined();
});
