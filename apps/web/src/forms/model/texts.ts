import { count } from '../../ui/count.ts';

export const texts = {
  checkValue: {
    list: 'must be a list',
    map: 'must be a map',
    emptyKey: 'must not be empty',
    keyTwice: (key: string | number) => `must be unique: ${key}`,
    itemTwice: (item: string | number) => `must not contain ${item} twice`,
    duration: 'must be a duration such as 500ms, 5s or 2m',
  },
  summary: {
    items: (items: number) => count(items, 'item'),
    andMore: (first: string | number, rest: string | number) => `${first} and ${rest} more`,
  },
};
