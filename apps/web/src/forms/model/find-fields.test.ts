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

describe('finding fields', () => {
  it('looks into what is set and what could be', () => {
    expect(paths({})).toContain('limits.max_connections');
    expect(paths({})).toContain('items[0].weight');
    expect(paths({ items: [{}, {}] })).toContain('items[1].weight');
  });

  it('leads through a document in the spelling it has', () => {
    schema.Root?.fields.push(describeField('idle_limits', { value: message('Limits') }));
    expect(paths({ idleLimits: {} })).toContain('idleLimits.max_connections');
    schema.Root?.fields.pop();
  });

  it('leaves out the arms that another one bars', () => {
    expect(paths({})).toEqual(expect.arrayContaining(['left', 'right']));
    expect(paths({ left: {} })).toContain('left');
    expect(paths({ left: {} })).not.toContain('right');
  });

  it('leaves out what is deprecated and not set', () => {
    expect(paths({})).not.toContain('old');
    expect(paths({ old: 'x' })).toContain('old');
  });

  it('looks into an Any by its type, and not behind a reference', () => {
    expect(paths({ extension: { '@type': 'type.googleapis.com/Limits' } })).toContain('extension.max_connections');
    expect(paths({ limits: { $ref: 'filters/x' } })).not.toContain('limits.max_connections');
  });

  it('follows a message inside itself only as far as the document goes', () => {
    const found = paths({ items: [{ children: [{}] }] });
    expect(found).toContain('items[0].children[0].children');
    expect(found).not.toContain('items[0].children[0].children[0].weight');
  });

  it('says which messages it would have to know to look further', () => {
    expect(listUnloadedTypes(peek, 'Root', 10)).toEqual(['Far']);
    expect(listUnloadedTypes(peek, 'Root', 0)).toEqual([]);
  });
});
