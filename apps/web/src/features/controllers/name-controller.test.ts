import { expect, it } from 'vitest';
import { nameController } from './name-controller.ts';

const one = { id: '019ab3f0-1c2d-7000-8000-0000aaaa0001', hostname: 'edge' };
const two = { id: '019ab3f0-1c2d-7000-8000-0000aaaa0002', hostname: 'edge' };
const other = { id: '019ab3f0-1c2d-7000-8000-0000aaaa0003', hostname: 'core' };

it('a controller is shown by its host name', () => {
  expect(nameController(other, [one, other])).toBe('core');
});

it('two controllers of one host have different names', () => {
  expect([one, two].map((controller) => nameController(controller, [one, two, other]))).toEqual([
    'edge (aaaa0001)',
    'edge (aaaa0002)',
  ]);
});
