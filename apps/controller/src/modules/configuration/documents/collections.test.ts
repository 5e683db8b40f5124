import { COLLECTIONS } from '@flotilla/contract';
import { COLLECTIONS as TRANSLATED } from '@flotilla/translate';
import { expect, it } from 'vitest';

it('the REST contract and the translator, which cannot import each other, name the same collections', () => {
  expect(COLLECTIONS).toEqual(TRANSLATED);
});
