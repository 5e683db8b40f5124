import { expect, it } from 'vitest';
import { toTemplate } from './path-template.ts';

it.each([
  ['/v1', '/users/{id}', '/v1/users/{id}'],
  ['', '/users/{id}/', '/users/{id}'],
  ['/v1', '/', '/v1'],
  ['', '/x/{id:[0-9]+}', '/x/{id}'],
  ['', '/x/{id:[0-9]{3}}/y', '/x/{id}/y'],
  ['', '/x/{path:a/b}', '/x/{path}'],
  ['', '/x/{path:.*}', '/x/{path=**}'],
  ['', '/x/{proxy+}', '/x/{proxy=**}'],
  ['', '/x/{a}{b}', '/x/{a}{b}'],
  ['', '/x/{a}-{b}.json', '/x/{a}-{b}.json'],
  ['', '/caf%c3%a9', '/café'],
  ['', '/a//b/./c', '/a/b/c'],
  ['', '/x/{}', '/x/{value}'],
  ['', '/x/{__proto__}', '/x/{__proto__}'],
])('the template of %j and %j is %j', (base, path, template) => {
  expect(toTemplate(base, path)).toBe(template);
});

it.each(['/x/{id', '/x/id}', '/x/{{id}', 'x', '', '*'])('%j is no path of a document', (path) => {
  expect(toTemplate('', path)).toBeUndefined();
});
