import { COLLECTIONS } from '@flotilla/contract';
import { COLLECTIONS as TRANSLATED } from '@flotilla/translate';
import { expect, it } from 'vitest';

it('the REST contract and the translator, which may not know each other, name the same collections', () => {
  expect(COLLECTIONS).toEqual(TRANSLATED);
});
