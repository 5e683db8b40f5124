import { expect, it } from 'vitest';
import { BLOCK_TEXT_MAX_CHARS, toBlockText } from './block-text.ts';

const text = (mode: string) => `# the shop
spec:
  defaults: { mode: ${mode} } # to be changed
  domains:
    - hosts: [shop.example]
      policy:
        mode: ${mode}
        engines: { jwt: { mode: detect, issuer: detect } }
      routes:
        - { match: { path_prefix: /detect }, policy: { mode: ${mode} } }
`;

it('every mode of a policy changes to block, and nothing else', () => {
  const { detectParts, text: changed } = toBlockText(text('detect'));
  expect(detectParts).toBe(3);
  expect(changed).toContain('# the shop');
  expect(changed).toContain('# to be changed');
  expect(changed?.match(/mode: block/g)).toHaveLength(3);
  expect(changed).toContain('issuer: detect');
  expect(changed).toContain('/detect');
});

it('a large policy is not read, because other requests would wait', () => {
  const large = `${text('detect')}#${' '.repeat(BLOCK_TEXT_MAX_CHARS)}`;
  expect(toBlockText(large)).toEqual({ detectParts: null, text: null });
});

it('a policy that blocks has no part to change', () => {
  expect(toBlockText(text('block'))).toEqual({ detectParts: 0, text: null });
});
