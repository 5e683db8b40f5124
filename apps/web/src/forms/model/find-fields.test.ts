import { describe, expect, it } from 'vitest';
import type { MessageDescription } from '../schema-source.ts';
import { describeField, describeMessage, message } from '../testing/descriptions.ts';
import { findFields, listUnloadedTypes } from './find-fields.ts';

const schema: Record<string, MessageDescription> = {
  Root: describeMessage(
    'Root',
    [
      describeField('name'),
      describeField('limits', { value: message('Limits') }),
      describeField('items', { shape: 'list', value: message('Item') }),
      describeField('left', { oneof: 'side', value: message('Limits') }),
      describeField('right', { oneof: 'side', value: message('Item') }),
      describeField('extension', { value: message('google.protobuf.Any') }),
      describeField('old', { deprecated: true }),
      describeField('far', { value: message('Far') }),
    ],
    { oneofs: [{ name: 'side', required: false, fields: ['left', 'right'] }] },
  ),
  Limits: describeMessage('Limits', [describeField('max_connections')]),
  Item: describeMessage('Item', [
    describeField('weight'),
    describeField('children', { shape: 'list', value: message('Item') }),
  ]),
};
const peek = (type: string) => schema[type];
const paths = (document: object) => findFields(peek, 'Root', document as never).map(({ id }) => id);

describe('the search for fields', () => {
  it('includes set fields and fields that could be set', () => {
    expect(paths({})).toContain('limits.max_connections');
    expect(paths({})).toContain('items[0].weight');
    expect(paths({ items: [{}, {}] })).toContain('items[1].weight');
  });

  it('uses the spelling of the document', () => {
    schema.Root?.fields.push(describeField('idle_limits', { value: message('Limits') }));
    expect(paths({ idleLimits: {} })).toContain('idleLimits.max_connections');
    schema.Root?.fields.pop();
  });

  it('omits the other arms of a set oneof', () => {
    expect(paths({})).toEqual(expect.arrayContaining(['left', 'right']));
    expect(paths({ left: {} })).toContain('left');
    expect(paths({ left: {} })).not.toContain('right');
  });

  it('omits deprecated fields that are not set', () => {
    expect(paths({})).not.toContain('old');
    expect(paths({ old: 'x' })).toContain('old');
  });

  it('includes the fields of an Any by its type, and none of a reference', () => {
    expect(paths({ extension: { '@type': 'type.googleapis.com/Limits' } })).toContain('extension.max_connections');
    expect(paths({ limits: { $ref: 'filters/x' } })).not.toContain('limits.max_connections');
  });

  it('follows a recursive message only as far as the document goes', () => {
    const found = paths({ items: [{ children: [{}] }] });
    expect(found).toContain('items[0].children[0].children');
    expect(found).not.toContain('items[0].children[0].children[0].weight');
  });

  it('lists the message types that a deeper search needs', () => {
    expect(listUnloadedTypes(peek, 'Root', 10)).toEqual(['Far']);
    expect(listUnloadedTypes(peek, 'Root', 0)).toEqual([]);
  });
});
