import { expect, it } from 'vitest';
import { nameContent, readContents } from './contents.ts';

function refusal(code: string, contents: unknown) {
  return { code, message: 'no', request_id: 'r', contents };
}

it('reads what a project still holds', () => {
  const contents = [{ kind: 'services', count: 2 }];
  expect(readContents(refusal('project.not_empty', contents))).toEqual(contents);
});

it('reads nothing from other refusals, and leaves out what it does not understand', () => {
  expect(readContents(refusal('record.stale', [{ kind: 'services', count: 2 }]))).toBeUndefined();
  expect(readContents(refusal('project.not_empty', 'two services'))).toBeUndefined();
  expect(
    readContents(refusal('project.not_empty', [null, { kind: 'clients' }, { kind: 'clients', count: 1 }])),
  ).toEqual([{ kind: 'clients', count: 1 }]);
});

it('names one and many by the words of the screens', () => {
  expect(nameContent({ kind: 'policies', count: 1 })).toBe('1 policy');
  expect(nameContent({ kind: 'documents', count: 12 })).toBe('12 resources');
  expect(nameContent({ kind: 'zones', count: 3 })).toBe('3 zones');
});
