import { expect, it } from 'vitest';
import { ApiError } from '../../api/index.ts';
import { nameChanged } from './deletion.ts';

const refusal = (...errors: object[]) =>
  new ApiError(412, {
    code: 'record.stale',
    message: 'Nothing was changed.',
    error: '',
    request_id: 'r',
    errors,
  } as never);
const stale = (name: string) => ({ path: 'delete[0]', name, version: '1.39.3', code: 'record.stale' });

it('documents that have changed are named', () => {
  const named = nameChanged(refusal(stale('shop'), stale('blog'))) as ApiError;
  expect(named.message).toBe(
    'shop (1.39.3) and blog (1.39.3) have changed since they were read. Nothing was deleted: look at them, and delete what is still to go.',
  );
  expect(named.requestId).toBe('r');
  expect((nameChanged(refusal(stale('shop'))) as ApiError).message).toMatch(/^shop \(1\.39\.3\) has changed since it/);
});

it.each([
  refusal(stale('shop'), { path: 'delete[1]', name: 'blog', version: '1.39.3', code: 'record.in_use' }),
  refusal(),
  new Error('no answer'),
])('another refusal is as it came: %#', (error) => {
  expect(nameChanged(error)).toBe(error);
});
