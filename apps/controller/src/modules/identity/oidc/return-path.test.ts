import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readReturnPath } from './return-path.ts';

it.each(['/', '/clients', '/clients?state=down&page=2', '/a//b'])('%s is a valid return path', (path) => {
  expect(readReturnPath(path)).toBe(path);
});

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  'javascript:alert(1)',
  'evil.example',
  '',
  '/auth/oidc/x/start',
  '/./auth/oidc/x/start',
  `/${'ü'.repeat(1000)}`,
])('%j leads to the start page', (path) => {
  expect(readReturnPath(path)).toBe('/');
});

it('no text leads to another site', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2f',
    '%5c',
    '@',
    ':',
    '?',
    '#',
    '\t',
    '\n',
    ' ',
    'evil.example',
    'http:',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const path = readReturnPath(parts.join(''));
      expect(new URL(path, 'https://here.example/auth/oidc/x/callback').host).toBe('here.example');
    }),
    { numRuns: 500 },
  );
});
