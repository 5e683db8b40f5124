import { expect, it } from 'vitest';
import { nameNodes } from './name-nodes.ts';

const nameOf = (id: string) => ({ a: 'machine-a', b: 'machine-b' })[id] ?? id;

it('nodes of one service are named by their clients', () => {
  expect(nameNodes(['shop::p::a', 'shop::p::b', 'shop::p::gone'], nameOf)).toEqual(['machine-a', 'machine-b', 'gone']);
});

it('nodes of several services also name the service', () => {
  expect(nameNodes(['shop::p::a', 'blog::p::a'], nameOf)).toEqual(['machine-a (shop)', 'machine-a (blog)']);
});

it('an ID of another form is shown as it is', () => {
  expect(nameNodes(['odd'], nameOf)).toEqual(['odd']);
  expect(nameNodes([], nameOf)).toEqual([]);
});
