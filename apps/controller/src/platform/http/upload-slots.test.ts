import { expect, it } from 'vitest';
import { UploadSlots } from './upload-slots.ts';

function begin(slots: UploadSlots, project: string | null) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { held: slots.hold(project, () => promise), end: resolve, breakOff: reject };
}

const BUSY = { code: 'upload.busy', httpStatus: 429 };

it('two files can be uploaded at a time per project, independently of others (contradiction: collector settings)', async () => {
  const slots = new UploadSlots();
  const [first, second] = [begin(slots, 'shop'), begin(slots, 'shop')];
  await expect(slots.hold('shop', async () => 'third')).rejects.toMatchObject(BUSY);
  for (const place of ['other', null]) expect(await slots.hold(place, async () => 'let in')).toBe('let in');
  first.end();
  await first.held;
  expect(await slots.hold('shop', async () => 'let in')).toBe('let in');
  second.end();
  await second.held;
});

it('an interrupted upload releases its slot (contradiction: collector settings)', async () => {
  const slots = new UploadSlots();
  const uploads = [begin(slots, null), begin(slots, null)];
  for (const { held, breakOff } of uploads) {
    breakOff(new Error('aborted'));
    await expect(held).rejects.toThrow('aborted');
  }
  expect(await slots.hold(null, async () => 'let in')).toBe('let in');
});
